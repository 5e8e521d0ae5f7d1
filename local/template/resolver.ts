// SPDX-License-Identifier: Apache-2.0
/** Resolves the CloudFormation functions in a template to what they would be on a stack that exists only here. */
import { attributeOf, nameProperty } from './resource-names';
import { type StackEnvironment, type Template, TemplateError, type TemplateResource } from './template';

export interface Resolver {
  /** The value with every function in it resolved. */
  resolve(value: unknown): unknown;
  /** What `Ref` gives for a resource. */
  physicalName(logicalId: string): string;
  /** Logical ids and resolved properties of every resource of a type, in the template's order. */
  resourcesOf(type: string): readonly { readonly logicalId: string; readonly properties: Properties }[];
}

export type Properties = Readonly<Record<string, unknown>>;

/** Stands for `AWS::NoValue`: the property is left out. */
const NO_VALUE = Symbol('AWS::NoValue');

/** @throws TemplateError, from every method, for a function, parameter or attribute that is not known */
export function createResolver(template: Template, environment: StackEnvironment): Resolver {
  const pseudoParameters: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': environment.accountId,
    'AWS::NoValue': NO_VALUE,
    'AWS::NotificationARNs': [],
    'AWS::Partition': 'aws',
    'AWS::Region': environment.region,
    'AWS::StackId': `arn:aws:cloudformation:${environment.region}:${environment.accountId}:stack/${environment.stackName}/local`,
    'AWS::StackName': environment.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };

  const functions: Readonly<Record<string, (argument: unknown) => unknown>> = {
    Ref: (name) => reference(text(name, 'Ref')),
    'Fn::GetAtt': (argument) => {
      const [logicalId, ...attribute] =
        typeof argument === 'string' ? argument.split('.') : list(argument, 'Fn::GetAtt');
      return readAttribute(text(logicalId, 'Fn::GetAtt'), attribute.join('.'));
    },
    'Fn::Join': (argument) => {
      const [delimiter, parts] = list(argument, 'Fn::Join');
      return list(resolve(parts), 'Fn::Join').join(text(delimiter, 'Fn::Join'));
    },
    'Fn::Split': (argument) => {
      const [delimiter, source] = list(argument, 'Fn::Split');
      return text(resolve(source), 'Fn::Split').split(text(delimiter, 'Fn::Split'));
    },
    'Fn::Select': (argument) => {
      const [index, options] = list(argument, 'Fn::Select');
      const selected = list(resolve(options), 'Fn::Select')[Number(resolve(index))];
      if (selected === undefined) throw new TemplateError(`Fn::Select: there is no element ${JSON.stringify(index)}`);
      return selected;
    },
    'Fn::Sub': (argument) => {
      const [pattern, variables] = typeof argument === 'string' ? [argument, {}] : list(argument, 'Fn::Sub');
      return substitute(text(pattern, 'Fn::Sub'), resolve(variables) as Properties);
    },
  };

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve).filter((element) => element !== NO_VALUE);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? [''];
    if (entries.length === 1 && (name === 'Ref' || name === 'Condition' || name.startsWith('Fn::'))) {
      const resolveFunction = functions[name];
      if (resolveFunction === undefined)
        throw new TemplateError(`the local stack does not know the CloudFormation function ${name}`);
      return resolveFunction(argument);
    }
    return Object.fromEntries(
      entries.map(([key, part]) => [key, resolve(part)] as const).filter(([, part]) => part !== NO_VALUE),
    );
  }

  function reference(name: string): unknown {
    if (name in pseudoParameters) return pseudoParameters[name];
    const parameter = template.Parameters?.[name];
    if (parameter !== undefined) {
      if (parameter.Default === undefined)
        throw new TemplateError(`the template's parameter ${name} has no default, and the local stack no value for it`);
      return parameter.Default;
    }
    return physicalName(name);
  }

  function physicalName(logicalId: string): string {
    const name = resolve(nameProperty(resource(logicalId)));
    return typeof name === 'string' ? name : logicalId;
  }

  function readAttribute(logicalId: string, attribute: string): string {
    return attributeOf(logicalId, resource(logicalId).Type, physicalName(logicalId), attribute, environment);
  }

  function resource(logicalId: string): TemplateResource {
    const found = template.Resources[logicalId];
    if (found === undefined) throw new TemplateError(`the template has no resource or parameter ${logicalId}`);
    return found;
  }

  function substitute(pattern: string, variables: Properties): string {
    return pattern.replace(/\$\{(!?)([^}]*)\}/g, (_whole, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (Object.hasOwn(variables, name)) return String(variables[name]);
      const [logicalId = '', ...attribute] = name.split('.');
      return String(attribute.length > 0 ? readAttribute(logicalId, attribute.join('.')) : reference(name));
    });
  }

  return {
    resolve,
    physicalName,
    resourcesOf: (type) =>
      Object.entries(template.Resources)
        .filter(([, candidate]) => candidate.Type === type)
        .map(([logicalId, { Properties = {} }]) => ({ logicalId, properties: resolve(Properties) as Properties })),
  };
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TemplateError(`${name} wants text, got ${typeof value}`);
  return value;
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new TemplateError(`${name} wants a list, got ${typeof value}`);
  return value;
}
