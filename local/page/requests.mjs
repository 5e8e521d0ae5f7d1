// SPDX-License-Identifier: Apache-2.0
/** Sends a request to the API and writes what it cost into the list of requests. */

const list = document.getElementById('request-list');
const MAX_LISTED = 50;

let last = Promise.resolve();

/** One request at a time, so that what is measured meanwhile is its own. Status and body of the answer; status 0 where none came. */
export function send(method, path, body) {
  last = last.then(() => sendNow(method, path, body));
  return last;
}

async function sendNow(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
  } catch {
    note(method, path, 0, undefined);
    return { status: 0, body: {} };
  }
  const text = await response.text();
  note(method, path, response.status, JSON.parse(response.headers.get('X-Local-Cost') ?? 'null') ?? undefined);
  return { status: response.status, body: parse(text) };
}

function parse(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function note(method, path, status, cost) {
  document.getElementById('no-requests').hidden = true;
  const line = element('div', 'request');
  line.append(
    element('code', '', `${method} ${shorten(path)}`),
    element(
      'span',
      `status ${status >= 200 && status < 400 ? 'good' : 'bad'}`,
      status === 0 ? 'no answer' : String(status),
    ),
    element('span', 'units', units(cost)),
  );
  const entry = element('li', '');
  entry.append(line, element('p', 'detail', detail(cost)));
  list.prepend(entry);
  while (list.children.length > MAX_LISTED) list.lastElementChild.remove();
}

/** The id of a session is long, and its beginning is enough to see which. */
function shorten(path) {
  return path.replace(/[0-9a-f]{64}/, (id) => `${id.slice(0, 8)}…`);
}

function units(cost) {
  if (cost === undefined || !cost.isMeasured) return 'not measured';
  return `${cost.hasOverlapped ? 'about ' : ''}${plural(cost.readUnits, 'read')}, ${plural(cost.writeUnits, 'write')}`;
}

function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function detail(cost) {
  if (cost === undefined) return 'The local stack did not answer.';
  const operations = cost.operations.map(({ operation, keyKind, succeeded, requests }) => {
    const times = requests === 1 ? '' : `${requests} × `;
    return `${times}${operation} ${keyKind}${succeeded ? '' : ' (condition not met)'}`;
  });
  const others = cost.hasOverlapped ? ['other requests ran at the same time'] : [];
  return [participants(cost.invoked), ...operations, ...others].join(' · ');
}

/** Who had a part in the answer, in order. */
function participants(invoked) {
  return invoked.length === 0 ? 'Gateway alone, no function invoked' : ['Gateway', ...invoked].join(' → ');
}

/** An element with text, never with markup. */
export function element(name, className, text = '') {
  const created = document.createElement(name);
  if (className !== '') created.className = className;
  created.textContent = text;
  return created;
}
