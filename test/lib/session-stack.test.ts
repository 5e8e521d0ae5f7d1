// SPDX-License-Identifier: Apache-2.0
/** What `cdk deploy` deploys, as a whole. */
import { Duration, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { SessionStack, type SessionStackProps } from '../../lib';
import { createApp, createFunction, resourcesOf } from './synthesis';

function createSessionStack(props: SessionStackProps = {}, app = createApp()): SessionStack {
  return new SessionStack(app, 'Sessions', props);
}

test('the outputs are where the API is, which function to attach elsewhere, and which table to write to', () => {
  const { ApiUrl, AuthorizerFunctionArn, TableName } = Template.fromStack(createSessionStack()).toJSON().Outputs;

  expect(JSON.stringify(ApiUrl.Value)).toContain('.execute-api.');
  expect(AuthorizerFunctionArn.Value['Fn::GetAtt'][1]).toBe('Arn');
  expect(TableName.Value.Ref).toMatch(/Table/);
});

test('every function has the same settings, given once', () => {
  const stack = createSessionStack({ epoch: 'v2', absoluteTimeout: Duration.days(7) });
  stack.api.addLoginHandler(createFunction(stack));

  const settings = Object.values(resourcesOf(stack, 'AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Environment.Variables.SESSIONGATE_SETTINGS,
  );
  expect(settings).toHaveLength(3);
  expect(new Set(settings).size).toBe(1);
  expect(JSON.parse(settings[0])).toMatchObject({ epoch: 'v2', absoluteTimeoutSeconds: 604_800 });
});

test('the same input gives the same template', () => {
  const synthesize = () => Template.fromStack(createSessionStack()).toJSON();

  expect(synthesize()).toEqual(synthesize());
});

test('no permission of the template reaches beyond what it names', () => {
  const statements = Object.values(resourcesOf(createSessionStack(), 'AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );

  for (const { Action, Resource } of statements) {
    expect(JSON.stringify(Action)).not.toContain('*');
    expect(JSON.stringify(Resource)).not.toContain('*');
  }
  expect(JSON.stringify(statements)).not.toMatch(/Scan|index\//);
});

describe('cdk-nag', () => {
  function synthesizeWithChecks(prepare: (stack: SessionStack) => void): void {
    const app = createApp();
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    prepare(createSessionStack({ allowedOrigins: ['https://app.example.com'], idleTimeout: Duration.days(1) }, app));
    app.synth();
  }

  test('finds nothing but what is acknowledged with a reason, with a login too', () => {
    const withLogin = (stack: SessionStack) => {
      const role = new Role(stack, 'LoginRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      stack.api.addLoginHandler(createFunction(stack, 'Login', { role }));
    };

    expect(() => synthesizeWithChecks(withLogin)).not.toThrow();
  });

  test('does look: an open bucket is found', () => {
    expect(() => synthesizeWithChecks((stack) => new Bucket(stack, 'Bucket'))).toThrow(/AwsSolutions-S10/);
  });
});
