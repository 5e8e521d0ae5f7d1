// SPDX-License-Identifier: Apache-2.0
/** Nothing that is written, thrown or reported during a run over the whole corpus holds a token or a piece of one. */
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import { embeddedMetricLine } from '../../lambda/authorizer/emf';
import { SessionStoreError } from '../../lambda/session/errors';
import { hashSessionToken } from '../../lambda/session/token';
import { ITEMS, OPTIONS } from '../corpus/authorize';
import { corpusLines, EVIL, TOKEN, UNKNOWN } from '../corpus/corpus';

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;

it('stays silent about tokens and their hashes', async () => {
  const said: string[] = [];
  const outputs = [process.stdout, process.stderr];
  for (const method of METHODS)
    jest.spyOn(console, method).mockImplementation((...parts) => said.push(parts.join(' ')));
  for (const output of outputs)
    jest.spyOn(output, 'write').mockImplementation((chunk) => {
      said.push(String(chunk));
      return true;
    });
  let events = 0;
  try {
    for (const event of allEvents())
      for (const fails of [false, true]) {
        events++;
        const authorize = createAuthorizer(
          {
            now: () => 1_800_000_000,
            report: (report) => said.push(embeddedMetricLine(report, 0, 'authorizer')),
            reader: {
              async readSession(key) {
                if (fails) throw new SessionStoreError('table sessions did not answer in time');
                return ITEMS.get(key);
              },
            },
          },
          OPTIONS,
        );
        const outcome = await authorize(event).catch((error: Error) => `${error.stack} ${JSON.stringify(error)}`);
        said.push(JSON.stringify(outcome));
      }
  } finally {
    jest.restoreAllMocks();
  }

  expect(events).toBeGreaterThan(400);
  const everything = said.join('\n');
  for (const secret of [TOKEN, EVIL, UNKNOWN]) {
    for (let start = 0; start + 8 <= secret.length; start++)
      expect(everything).not.toContain(secret.slice(start, start + 8));
    // The first 16 digits are the session's name in logs; more of the hash is nobody's business.
    expect(everything).not.toContain(hashSessionToken(secret).slice(0, 17));
  }
});

function* allEvents(): Generator<unknown> {
  const arn = 'arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/GET/me';
  for (const { input } of corpusLines('event', ({ input: { fn } }) => fn === 'authorize')) yield input.event;
  for (const { input } of corpusLines('cookie-header'))
    yield { type: 'REQUEST', methodArn: arn, httpMethod: 'GET', headers: { Cookie: input } };
  for (const { input } of corpusLines('token'))
    yield { type: 'REQUEST', methodArn: arn, httpMethod: 'GET', headers: { Cookie: `__Host-sid=${input.token}` } };
}
