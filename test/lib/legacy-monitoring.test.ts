// SPDX-License-Identifier: Apache-2.0
/** SessionMonitoring of an authorizer with older systems: what moves in, what is refused and what fails has its row. */
import { LEGACY_METRIC_NAMES } from '../../lambda/legacy-settings';
import { type MigrationReport, migrationMetricLine } from '../../lambda/session/migration/migration-report';
import { type LegacySessions, SessionMonitoring } from '../../lib';
import { textOf } from './attaching';
import { express, synthesizeFunction, type World } from './older-systems';
import { onlyResource } from './synthesis';

interface Widget {
  readonly y: number;
  readonly properties: { readonly title: string; readonly metrics: [{ expression?: string; label?: string }][] };
}

function widgetsOf(sessionsOf: (world: World) => LegacySessions[]): Widget[] {
  const { stack, sessionTable, authorizerFunction } = synthesizeFunction(sessionsOf);
  new SessionMonitoring(stack, 'Monitoring', { authorizerFunction, sessionTable });
  return JSON.parse(textOf(onlyResource(stack, 'AWS::CloudWatch::Dashboard').DashboardBody)).widgets;
}

const isOfMovingIn = ({ properties }: Widget) => properties.title.startsWith('Moving in');

const source = 'express-session';
const REPORTS: Record<MigrationReport['kind'], MigrationReport> = {
  movedIn: { kind: 'movedIn', source },
  handedOutAgain: { kind: 'handedOutAgain', source },
  admitted: { kind: 'admitted', source },
  servedLate: { kind: 'servedLate', source },
  confirmed: { kind: 'confirmed', source },
  wouldMoveIn: { kind: 'wouldMoveIn', source },
  ageUnknown: { kind: 'ageUnknown', source },
  refused: { kind: 'refused', source, reason: 'absent' },
  fault: { kind: 'fault', code: 'ERR_SESSION_STORE', message: 'the store failed' },
  confirmationFault: { kind: 'confirmationFault', code: 'ERR_SESSION_STORE' },
};

test('shows nothing of older systems where there are none, and the same as ever', () => {
  const widgets = widgetsOf(() => []);

  expect(widgets.filter(isOfMovingIn)).toEqual([]);
  expect(JSON.stringify(widgets)).not.toContain('Legacy');
  expect(widgetsOf(express).filter((widget) => !isOfMovingIn(widget))).toEqual(widgets);
});

test('has one more row for older systems, below the others', () => {
  const widgets = widgetsOf(express);
  const row = widgets.filter(isOfMovingIn);

  expect(row.map(({ properties }) => properties.title)).toEqual([
    'Moving in: sessions',
    'Moving in: refused by reason',
    'Moving in: faults by code',
  ]);
  expect(new Set(row.map(({ y }) => y))).toEqual(new Set([Math.max(...widgets.map(({ y }) => y))]));
});

describe('of what a migration reports', () => {
  const searches = widgetsOf(express)
    .filter(isOfMovingIn)
    .flatMap(({ properties }) => properties.metrics.map(([search]) => search));

  it('every metric has a report here, and every search is for one of them', () => {
    expect(new Set(Object.keys(LEGACY_METRIC_NAMES))).toEqual(new Set(Object.keys(REPORTS)));
    expect(searches).toHaveLength(Object.keys(REPORTS).length);
  });

  it.each(Object.values(REPORTS))('the line of %j is found, and labelled with its metric and dimensions', (report) => {
    const written = JSON.parse(migrationMetricLine(report, 0))._aws.CloudWatchMetrics[0];
    const [dimensions] = written.Dimensions;
    const name = written.Metrics[0].Name;

    expect(searches).toContainEqual({
      expression: `SEARCH('{${[written.Namespace, ...dimensions].join()}} MetricName="${name}"', 'Sum', 300)`,
      label: ['MetricName', ...dimensions.map((dimension: string) => `Dim.${dimension}`)]
        .map((property) => `\${PROP('${property}')}`)
        .join(' '),
    });
  });
});
