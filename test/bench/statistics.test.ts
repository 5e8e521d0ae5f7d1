// SPDX-License-Identifier: Apache-2.0
/** The arithmetic of the bench: medians of ratios, costs from counted units. */
import { costPerMillion, MODES } from '../../bench/costs';
import prices from '../../bench/prices.json';
import { table } from '../../bench/report';
import { percentile, ratios, spreadOf } from '../../bench/statistics';

it.each<[string, number[], number, number]>([
  ['of one value', [3], 0.5, 3],
  ['of an odd number of values', [9, 1, 5], 0.5, 5],
  ['of an even number of values', [1, 2, 3, 10], 0.5, 2.5],
  ['at the low end', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 0.1, 2],
  ['at the high end', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 0.9, 10],
])('a percentile %s', (_, values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

it('has no percentile of nothing', () => {
  expect(() => spreadOf([])).toThrow(RangeError);
});

it('compares within a round, so that a machine that slows down changes nothing', () => {
  expect(ratios([2, 20, 200], [1, 10, 100])).toEqual({ median: 2, p10: 2, p90: 2 });
});

it('bills a million default authorizations by one read unit and one invocation each', () => {
  const mode = MODES.find(({ name }) => name === 'default');
  if (mode === undefined) throw new Error('no default mode');

  const { table: ofTable, lambda } = costPerMillion(mode, 0);

  expect(ofTable).toBe(prices.dynamoDbReadUnitsPerMillion.price);
  const seconds = prices.assumed.tableMillis / 1000;
  const gigabytes = prices.assumed.lambdaMegabytes / 1024;
  expect(lambda).toBeCloseTo(
    prices.lambdaRequestsPerMillion.price + 1_000_000 * seconds * gigabytes * prices.lambdaGigabyteSecond.price,
    10,
  );
});

it('bills nothing for a request without a cookie: the gateway refuses it', () => {
  const mode = MODES.find(({ name }) => name === 'no cookie at all');
  expect(mode && costPerMillion(mode, 500)).toEqual({ table: 0, lambda: 0 });
});

it('writes a table whose columns are aligned', () => {
  expect(
    table(
      ['a', 'long'],
      [
        ['1', '2'],
        ['three', '4'],
      ],
    ),
  ).toBe(['| a     | long |', '|-------|------|', '| 1     | 2    |', '| three | 4    |'].join('\n'));
});
