// SPDX-License-Identifier: Apache-2.0
/** What a million authorizations cost in each mode: units as counted, processor time as measured, prices from one file. */
import prices from './prices.json';
import { table } from './report';

export interface Mode {
  readonly name: string;
  /** Of one authorization. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Requests to the table that the caller waits for. */
  readonly tableRequests: number;
  /** Share of the requests for which the function is invoked at all. */
  readonly invoked: number;
}

/** A user who is active all day, with an idle timeout of an hour, renews ten times an hour; here at a request a minute. */
const RENEWALS_PER_REQUEST = 10 / 60;

export const MODES: readonly Mode[] = [
  { name: 'default', readUnits: 1, writeUnits: 0, tableRequests: 1, invoked: 1 },
  { name: 'user record', readUnits: 2, writeUnits: 0, tableRequests: 2, invoked: 1 },
  {
    name: 'idle timeout, a request a minute',
    readUnits: 1,
    writeUnits: RENEWALS_PER_REQUEST,
    tableRequests: 1 + RENEWALS_PER_REQUEST,
    invoked: 1,
  },
  { name: 'malformed or ambiguous cookie', readUnits: 0, writeUnits: 0, tableRequests: 0, invoked: 1 },
  { name: 'no cookie at all', readUnits: 0, writeUnits: 0, tableRequests: 0, invoked: 0 },
  { name: 'answers cached 60 s, a request every 10 s', readUnits: 1, writeUnits: 0, tableRequests: 1, invoked: 1 / 6 },
];

/** @param cpuMicros measured on this machine; Lambda's processors differ */
export function costTable(cpuMicros: number): string {
  const rows = MODES.map((mode) => {
    const { table: ofTable, lambda } = costPerMillion(mode, cpuMicros);
    return [
      mode.name,
      (mode.readUnits * mode.invoked).toFixed(2),
      (mode.writeUnits * mode.invoked).toFixed(2),
      dollars(ofTable),
      dollars(lambda),
      dollars(ofTable + lambda),
    ];
  });
  return table(['a million requests, each', 'read units', 'write units', 'DynamoDB', 'Lambda', 'together'], rows);
}

export function costPerMillion(mode: Mode, cpuMicros: number): { readonly table: number; readonly lambda: number } {
  const { lambdaMegabytes, megabytesOfOneProcessor, tableMillis } = prices.assumed;
  const cpuMillis = ((cpuMicros / 1000) * megabytesOfOneProcessor) / lambdaMegabytes;
  const billedMillis = Math.ceil(cpuMillis + mode.tableRequests * tableMillis);
  const gigabyteSeconds = 1_000_000 * (billedMillis / 1000) * (lambdaMegabytes / 1024);
  return {
    table:
      mode.invoked *
      (mode.readUnits * prices.dynamoDbReadUnitsPerMillion.price +
        mode.writeUnits * prices.dynamoDbWriteUnitsPerMillion.price),
    lambda:
      mode.invoked * (prices.lambdaRequestsPerMillion.price + gigabyteSeconds * prices.lambdaGigabyteSecond.price),
  };
}

function dollars(value: number): string {
  return `$${value.toFixed(2)}`;
}
