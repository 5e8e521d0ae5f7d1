// SPDX-License-Identifier: Apache-2.0
/** The page: sign in, this session, sign out, and a protected route. */
import { setUpDevices } from './devices.mjs';
import { send } from './requests.mjs';
import { explain, onClick, say, showTime } from './show.mjs';

const ACCOUNT_MESSAGE = 'account-message';
const form = document.getElementById('sign-in');
const signedIn = document.getElementById('signed-in');
const title = document.getElementById('account-title');
const devices = setUpDevices(showSignedOut);

async function load() {
  const answer = await send('GET', '/session');
  if (answer.status === 200) return showSession(answer.body);
  showSignedOut(answer.status === 401 ? '' : explain(answer));
}

async function showSession({ user, sessionId, createdAt, authenticatedAt, expiresAt }) {
  title.textContent = 'This session';
  form.hidden = true;
  signedIn.hidden = false;
  document.getElementById('user').textContent = user;
  document.getElementById('session-id').textContent = sessionId;
  showTime(document.getElementById('created-at'), createdAt);
  showTime(document.getElementById('authenticated-at'), authenticatedAt);
  showTime(document.getElementById('expires-at'), expiresAt);
  await devices.refresh();
}

function showSignedOut(message) {
  title.textContent = 'Sign in';
  signedIn.hidden = true;
  form.hidden = false;
  devices.hide();
  say('hello-message', '');
  say(ACCOUNT_MESSAGE, message);
  form.elements.username.focus();
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  const { username, password } = form.elements;
  const answer = await send('POST', '/login', { username: username.value, password: password.value });
  button.disabled = false;
  password.value = '';
  if (answer.status !== 200) {
    say(ACCOUNT_MESSAGE, answer.status === 401 ? 'User name or password is wrong.' : explain(answer), 'error');
    password.focus();
    return;
  }
  say(ACCOUNT_MESSAGE, '');
  say('hello-message', '');
  await load();
  title.focus();
});

onClick(document.getElementById('sign-out'), async () => {
  const answer = await send('DELETE', '/session');
  if (answer.status === 204 || answer.status === 401) return showSignedOut('Signed out.');
  say(ACCOUNT_MESSAGE, explain(answer), 'error');
});

onClick(document.getElementById('say-hello'), async () => {
  const answer = await send('GET', '/hello');
  if (answer.status === 200) return say('hello-message', answer.body.message, 'good');
  // The session was ended elsewhere: what the page shows of it is no longer true.
  if (answer.status === 401 && !signedIn.hidden) showSignedOut('This session has ended. Sign in again.');
  say('hello-message', answer.status === 401 ? '401: no session, so no handler ran.' : explain(answer), 'error');
});

await load();
