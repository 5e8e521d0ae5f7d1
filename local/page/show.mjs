// SPDX-License-Identifier: Apache-2.0
/** Small things that every part of the page shows alike: messages, times, a button that is busy. */

/** @param kind - `good`, `error` or nothing */
export function say(id, text, kind = '') {
  const message = document.getElementById(id);
  message.className = `message ${kind}`;
  message.textContent = text;
}

/** What to say of an answer that is not the one hoped for. */
export function explain({ status, body }) {
  switch (status) {
    case 0:
      return 'The local stack does not answer. Is it still running?';
    case 401:
      return 'This session has ended. Sign in again.';
    case 403:
      return 'The API refused this request (403).';
    case 404:
      return 'This API has no such route, or the session is already gone (404).';
    default:
      return `The API answered ${status}${body.message === undefined ? '' : `: ${body.message}`}. The terminal says more.`;
  }
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Writes Unix seconds into a time element, in words and exactly. */
export function showTime(element, unixSeconds) {
  const date = new Date(unixSeconds * 1000);
  element.dateTime = date.toISOString();
  const distance = document.createElement('span');
  distance.className = 'from-now';
  distance.textContent = ` (${fromNow(unixSeconds - Date.now() / 1000)})`;
  element.replaceChildren(absolute.format(date), distance);
}

function fromNow(seconds) {
  const [unit, length] = UNITS.find(([, candidate]) => Math.abs(seconds) >= candidate) ?? ['second', 1];
  return length === 1 ? 'just now' : relative.format(Math.round(seconds / length), unit);
}

/** Runs an action on click; until it is done, none of the buttons can start another. */
export function onClick(button, action, others = []) {
  button.addEventListener('click', async () => {
    const buttons = [button, ...others];
    for (const each of buttons) each.disabled = true;
    try {
      await action();
    } finally {
      for (const each of buttons) each.disabled = false;
    }
  });
}
