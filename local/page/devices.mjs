// SPDX-License-Identifier: Apache-2.0
/** The devices panel: where the user is signed in, and signing out there. */
import { element, send } from './requests.mjs';
import { explain, onClick, say, showTime } from './show.mjs';

const MESSAGE = 'devices-message';
const panel = document.getElementById('devices');
const list = document.getElementById('device-list');
const endOthers = document.getElementById('end-others');
const endAll = document.getElementById('end-all');

/** @param onSessionEnd - to be called when this session is over, with what to tell the user */
export function setUpDevices(onSessionEnd) {
  // Two of these at once could sign this device out too, so one waits for the other.
  onClick(endOthers, () => end('/sessions?except=current', onSessionEnd), [endAll]);
  onClick(endAll, () => end('/sessions', onSessionEnd), [endOthers]);

  return {
    hide() {
      panel.hidden = true;
      list.replaceChildren();
      say(MESSAGE, '');
    },
    refresh: () => refresh(onSessionEnd),
  };
}

async function refresh(onSessionEnd) {
  const answer = await send('GET', '/sessions');
  if (answer.status === 401) return onSessionEnd(explain(answer));
  panel.hidden = false;
  const isKnown = answer.status === 200;
  for (const part of [list, endOthers, endAll]) part.hidden = !isKnown;
  if (!isKnown) {
    const isMissing = answer.status === 404 || answer.status === 403;
    say(MESSAGE, isMissing ? `This API does not list devices (${answer.status}).` : explain(answer), 'error');
    return;
  }
  list.replaceChildren(...answer.body.sessions.map((session) => describe(session, onSessionEnd)));
  endOthers.hidden = answer.body.sessions.length < 2;
}

function describe({ id, createdAt, renewedAt, device, current }, onSessionEnd) {
  const name = element('span', 'device-name', device?.label ?? 'Unknown device');
  if (current) name.append(element('span', 'badge', 'this one'));
  const since = element('time', 'hint');
  showTime(since, renewedAt ?? createdAt);
  since.prepend(renewedAt === undefined ? 'Signed in ' : 'Last used ');
  const text = element('div', '');
  text.append(name, element('br', ''), since);
  const entry = element('li', '');
  entry.append(text);
  if (!current) {
    const button = element('button', '', 'Sign out');
    button.type = 'button';
    button.setAttribute('aria-label', `Sign out ${device?.label ?? 'unknown device'}`);
    onClick(button, () => end(`/sessions/${id}`, onSessionEnd));
    entry.append(button);
  }
  return entry;
}

async function end(path, onSessionEnd) {
  const answer = await send('DELETE', path);
  if (answer.status === 401) return onSessionEnd(explain(answer));
  if (answer.status !== 200 && answer.status !== 204) return say(MESSAGE, explain(answer), 'error');
  if (path === '/sessions') return onSessionEnd('Signed out everywhere.');
  await refresh(onSessionEnd);
  const { ended } = answer.body;
  const others = ended === 1 ? '1 other session' : `${ended} other sessions`;
  say(MESSAGE, ended === undefined ? 'Signed out there.' : `Signed out of ${others}.`, 'good');
  // The button that was pressed may be gone.
  document.getElementById('devices-title').focus();
}
