// SPDX-License-Identifier: Apache-2.0
/** What a migration writes to the log of a function: one metric for each old session, and nothing of whose it is. */
import {
  type MigrationReport,
  migrationMetricLine,
  reportToLog,
} from '../../../lambda/session/migration/migration-report';

const NOW_MILLIS = 1_800_000_000_123;
const source = 'express-session';

const REPORTS: Record<MigrationReport['kind'], readonly [MigrationReport, string, Record<string, string>]> = {
  movedIn: [{ kind: 'movedIn', source }, 'LegacyMovedIn', { Source: source }],
  handedOutAgain: [{ kind: 'handedOutAgain', source }, 'LegacyHandedOutAgain', { Source: source }],
  admitted: [{ kind: 'admitted', source }, 'LegacyAdmitted', { Source: source }],
  servedLate: [{ kind: 'servedLate', source }, 'LegacyServedLate', { Source: source }],
  confirmed: [{ kind: 'confirmed', source }, 'LegacyConfirmed', { Source: source }],
  wouldMoveIn: [{ kind: 'wouldMoveIn', source }, 'LegacyWouldMoveIn', { Source: source }],
  ageUnknown: [{ kind: 'ageUnknown', source }, 'LegacyAgeUnknown', { Source: source }],
  refused: [
    { kind: 'refused', source, reason: 'beforeLine' },
    'LegacyRefused',
    { Source: source, Reason: 'beforeLine' },
  ],
  fault: [
    { kind: 'fault', source, code: 'ERR_SESSION_STORE', message: 'the store failed' },
    'LegacyFault',
    { Code: 'ERR_SESSION_STORE' },
  ],
  confirmationFault: [
    { kind: 'confirmationFault', code: 'ERR_SESSION_STORE' },
    'LegacyConfirmationFault',
    { Code: 'ERR_SESSION_STORE' },
  ],
};

const MESSAGES: Partial<Record<MigrationReport['kind'], object>> = {
  fault: { Source: source, Message: 'the store failed' },
};

describe.each(Object.values(REPORTS))('the report %j', (report, name, dimensions) => {
  const line = {
    _aws: {
      Timestamp: NOW_MILLIS,
      CloudWatchMetrics: [
        {
          Namespace: 'Sessiongate',
          Dimensions: [Object.keys(dimensions)],
          Metrics: [{ Name: name, Unit: 'Count' }],
        },
      ],
    },
    ...dimensions,
    ...MESSAGES[report.kind],
    [name]: 1,
  };

  it('is one line of the embedded metric format, with these dimensions and no more', () => {
    const text = migrationMetricLine(report, NOW_MILLIS);

    expect(JSON.parse(text)).toEqual(line);
    expect(text).not.toContain('\n');
  });

  describe('in the log', () => {
    const before = process.env.AWS_LAMBDA_FUNCTION_NAME;
    let lines: unknown[][];
    beforeEach(() => {
      lines = [];
      jest.spyOn(console, 'log').mockImplementation((...written) => void lines.push(written));
      jest.spyOn(Date, 'now').mockReturnValue(NOW_MILLIS);
    });
    afterEach(() => {
      jest.restoreAllMocks();
      if (before === undefined) delete process.env.AWS_LAMBDA_FUNCTION_NAME;
      else process.env.AWS_LAMBDA_FUNCTION_NAME = before;
    });

    it('of a function is written', () => {
      process.env.AWS_LAMBDA_FUNCTION_NAME = 'orders';
      reportToLog(report);

      expect(lines).toHaveLength(1);
      expect(lines[0]).toHaveLength(1);
      expect(JSON.parse(String(lines[0]?.[0]))).toEqual(line);
    });

    it('of a laptop is not', () => {
      delete process.env.AWS_LAMBDA_FUNCTION_NAME;
      reportToLog(report);

      expect(lines).toEqual([]);
    });
  });
});
