// SPDX-License-Identifier: Apache-2.0
/** Sessions to and from PHP itself: its own session_encode and session_decode, in all three formats. */
import fc from 'fast-check';
import { parsePhpSession } from '../../../lambda/legacy/php/parse-php-session';
import type { PhpRecord, PhpSessionFormat } from '../../../lambda/legacy/php/php-value';
import { serializePhpSession } from '../../../lambda/legacy/php/serialize-php-session';
import { describeWithPhp, runPhp } from './php-process';
import { phpSession } from './php-values';

const FORMATS: PhpSessionFormat[] = ['php', 'php_serialize', 'php_binary'];

/** `[format, session]` in JSON to base64 of what PHP writes; empty arrays are the same in PHP. */
const ENCODE = `
  $out = [];
  foreach ($in as [$format, $session]) {
    ini_set('session.serialize_handler', $format);
    session_start();
    $_SESSION = $session;
    $out[] = base64_encode(session_encode());
    session_abort();
  }
  echo json_encode($out);`;

/** What PHP makes of our text, against the same values as PHP gets them from JSON. */
const DECODE = `
  $out = [];
  foreach ($in as [$format, $text, $session]) {
    ini_set('session.serialize_handler', $format);
    session_start();
    $_SESSION = [];
    $out[] = session_decode(base64_decode($text)) && $_SESSION == $session && same($_SESSION, $session);
    session_abort();
  }
  function same($one, $other) {
    if (!is_array($one)) return $one === $other;
    if (!is_array($other) || count($one) !== count($other)) return false;
    foreach ($one as $key => $value) if (!array_key_exists($key, $other) || !same($value, $other[$key])) return false;
    return true;
  }
  echo json_encode($out);`;

function plain(data: PhpRecord): unknown {
  return structuredClone(data);
}

describeWithPhp('random sessions exchanged with PHP', () => {
  const sessions = fc.sample(phpSession, 300);
  const cases = FORMATS.flatMap((format) => sessions.map((session) => ({ format, session })));

  it('reads what PHP writes', () => {
    const written = runPhp(
      ENCODE,
      cases.map(({ format, session }) => [format, session]),
    ) as string[];

    expect(written).toHaveLength(cases.length);
    for (const [index, { format, session }] of cases.entries()) {
      const outcome = parsePhpSession(Buffer.from(written[index] ?? '', 'base64'), format);
      expect('data' in outcome ? plain(outcome.data) : outcome).toEqual(plain(session));
    }
  });

  it('writes what PHP reads', () => {
    const texts = cases.map(({ format, session }) => [
      format,
      Buffer.from(serializePhpSession(session, format)).toString('base64'),
      session,
    ]);

    expect(runPhp(DECODE, texts)).toEqual(cases.map(() => true));
  });
});

describeWithPhp('values that only PHP can make', () => {
  const encode = (code: string): string =>
    runPhp(`session_start(); ${code} echo json_encode(session_encode());`, 0) as string;

  it.each([
    ['whole numbers of 64 bits', '$_SESSION["a"] = [PHP_INT_MAX, PHP_INT_MIN];', { a: [2n ** 63n - 1n, -(2n ** 63n)] }],
    [
      'floats',
      '$_SESSION["a"] = [1.0, -0.0, 1e25, 1e-7, 0.1, INF, -INF, NAN];',
      { a: [1, -0, 1e25, 1e-7, 0.1, Infinity, -Infinity, NaN] },
    ],
    [
      'keys in another order',
      '$_SESSION["a"] = [3 => "x", 1 => "y", -2 => "z", "k" => 1];',
      { a: { 3: 'x', 1: 'y', '-2': 'z', k: 1 } },
    ],
  ])('reads %s', (_, code, expected) => {
    const outcome = parsePhpSession(encode(code));
    expect('data' in outcome ? plain(outcome.data) : outcome).toEqual(expected);
  });

  it.each([
    ['object', '$_SESSION["a"] = new stdClass;'],
    ['object', '$_SESSION["a"] = [new ArrayObject([1])];'],
    ['object', 'enum Suit { case Hearts; } $_SESSION["a"] = Suit::Hearts;'],
    ['object', 'class P { private $secret = 1; protected $b = 2; } $_SESSION["a"] = new P;'],
    ['reference', '$x = 1; $_SESSION["a"] = [&$x, &$x];'],
  ])('refuses as %s: %s', (reason, code) => {
    expect(parsePhpSession(encode(code))).toEqual({ refused: reason });
  });
});
