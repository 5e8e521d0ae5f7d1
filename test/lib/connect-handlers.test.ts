// SPDX-License-Identifier: Apache-2.0
/** What a handler gets along with the older systems: the session table, once; and that a login handler gets them at all. */
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { legacyFromEnvironment } from '../../lambda/legacy';
import { type ISessionTable, LegacySessions, SessionApi, SessionAuthorizerFunction, SessionTable } from '../../lib';
import { express, legacyStatementsOf, synthesizeFunction, variablesOfFunction, type World } from './older-systems';
import { createApp, createFunction, statementsOf } from './synthesis';

const DESCRIPTION = 'Orders';

const signed = ({ stack }: World) => [
  LegacySessions.signedSession({ parameter: StringParameter.fromStringParameterName(stack, 'Signed', 'keys') }),
];

describe('the session table of a connected handler', () => {
  const ways: [string, (authorizer: SessionAuthorizerFunction, table: ISessionTable, handler: IFunction) => void][] = [
    ['not at all', () => {}],
    ['before', (_, table, handler) => table.connect(handler)],
    [
      'before and after',
      (authorizer, table, handler) => {
        authorizer.connectLegacy(handler);
        table.connect(handler);
      },
    ],
  ];

  /** In an app without feature flags too: there, statements are not merged. */
  function templateOf(app: App, connect: (typeof ways)[number][1]) {
    const { sessionTable, authorizerFunction, stack } = synthesizeFunction(express, {}, new Stack(app, 'Stack'));
    const handler = createFunction(stack, 'Orders', { description: DESCRIPTION });
    connect(authorizerFunction, sessionTable, handler);
    authorizerFunction.connectLegacy(handler);
    return { stack, template: Template.fromStack(stack).toJSON() };
  }

  test.each(ways)('is connected too, once, where it was connected %s', (_, connect) => {
    const { stack, template } = templateOf(createApp(), connect);

    expect(Object.keys(variablesOfFunction(stack, DESCRIPTION))).toEqual(
      expect.arrayContaining(['SESSIONGATE_TABLE_NAME', 'SESSIONGATE_SETTINGS', 'SESSIONGATE_LEGACY']),
    );
    expect(statementsOf(stack, DESCRIPTION).filter(({ Action }) => Action.includes('dynamodb:PutItem'))).toHaveLength(
      1,
    );
    expect(template).toEqual(templateOf(createApp(), () => {}).template);
    expect(templateOf(new App(), connect).template).toEqual(templateOf(new App(), () => {}).template);
  });

  test('stays the one that was connected before, so that no reference leads to the stack of the authorizer', () => {
    const { sessionTable, authorizerFunction, stack } = synthesizeFunction(express);
    const elsewhere = new Stack(stack.node.root as App, 'Elsewhere');
    const handler = createFunction(elsewhere, 'Orders', { description: DESCRIPTION });
    SessionTable.fromSessionTableAttributes(elsewhere, 'Known', {
      tableName: 'sessions',
      allowedOrigins: [...sessionTable.settings.allowedOrigins],
    }).connect(handler);
    authorizerFunction.connectLegacy(handler);
    stack.addStackDependency(elsewhere);

    expect(() => (stack.node.root as App).synth()).not.toThrow();
    expect(variablesOfFunction(elsewhere, DESCRIPTION).SESSIONGATE_TABLE_NAME).toBe('sessions');
  });

  test('may be in another stack than the authorizer, the older table and the handler', () => {
    const app = createApp();
    const [tables, old, authorizers, handlers, apis] = ['Tables', 'Old', 'Authorizers', 'Handlers', 'Apis'].map(
      (id) => new Stack(app, id),
    ) as [Stack, Stack, Stack, Stack, Stack];
    const sessionTable = new SessionTable(tables, 'Sessions');
    const table = new Table(old, 'Old', { partitionKey: { name: 'id', type: AttributeType.STRING } });
    const authorizerFunction = new SessionAuthorizerFunction(authorizers, 'AuthorizerFunction', {
      sessionTable,
      legacySessions: [LegacySessions.php({ table, userPath: 'user_id' })],
    });
    authorizerFunction.connectLegacy(createFunction(handlers, 'Orders'));
    const loginHandler = createFunction(handlers, 'Login');
    new SessionApi(apis, 'Api', { sessionTable, authorizerFunction, loginHandler });

    expect(() => app.synth()).not.toThrow();
    expect(handlers.dependencies.map(({ node }) => node.id).sort()).toEqual(['Old', 'Tables']);
    expect([...tables.dependencies, ...old.dependencies]).toEqual([]);
  });
});

describe('the login handler of a SessionApi', () => {
  function loginOf(sessionsOf: (world: World) => LegacySessions[], connections = 0) {
    const { stack, sessionTable, authorizerFunction } = synthesizeFunction(sessionsOf);
    const loginHandler = createFunction(stack, 'Login', { description: DESCRIPTION });
    for (let count = 0; count < connections; count++) authorizerFunction.connectLegacy(loginHandler);
    new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction, loginHandler });
    return stack;
  }

  test.each([0, 1])(
    'ends the older session under which somebody logs in (connected %i times before)',
    (connections) => {
      const stack = loginOf(express, connections);

      expect(legacyStatementsOf(stack, DESCRIPTION).map(({ Sid }) => Sid)).toEqual([
        'MoveInLegacySessions1',
        'ReadLegacyKeys1',
      ]);
      const { sources } = legacyFromEnvironment(variablesOfFunction(stack, DESCRIPTION));
      expect(sources.map(({ name }) => name)).toEqual(['express-session']);
      expect(variablesOfFunction(stack, DESCRIPTION)).toHaveProperty('SESSIONGATE_TABLE_NAME');
    },
  );

  test.each([
    ['no older systems', () => []],
    ['signed sessions that stay', signed],
  ])('is told nothing of them with %s', (_, sessionsOf: (world: World) => LegacySessions[]) => {
    expect(Object.keys(variablesOfFunction(loginOf(sessionsOf), DESCRIPTION))).toEqual([
      'SESSIONGATE_TABLE_NAME',
      'SESSIONGATE_SETTINGS',
    ]);
  });
});
