// docs/schema.md: the SDL as a page, every type and field with its description.
import {
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  isTypeDefinitionNode,
  print,
  type TypeDefinitionNode,
  visit,
} from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.ts';

/** The page, generated from schema/*.graphql. */
export function schemaPage(): string {
  const types = readTypeDefs().definitions.filter(isTypeDefinitionNode);
  const names = new Set(types.map(({ name }) => name.value));
  return [
    '# The schema',
    '',
    'This page is generated from the descriptions in [schema/](../schema) by `npm run docs`. "Upstream" names the',
    "source of a field, usually as a path in the service's answer, in which `[]` stands for the elements of a list.",
    '[mapping.md](mapping.md) has the sources as JSON pointers.',
    '',
    types.map(({ name }) => `[${name.value}](#${name.value.toLowerCase()})`).join(', '),
    '',
    ...types.flatMap((type) => typeLines(type, names)),
  ].join('\n');
}

function typeLines(type: TypeDefinitionNode, names: ReadonlySet<string>): string[] {
  return [
    `## ${type.name.value}`,
    '',
    `\`${headOf(type)}\``,
    '',
    textOf(type),
    '',
    ...('fields' in type ? (type.fields ?? []) : []).flatMap((field) =>
      'arguments' in field ? fieldLines(type.name.value, field, names) : [],
    ),
    ...('values' in type ? (type.values ?? []) : []).flatMap((value) => [
      `- \`${value.name.value}\`: ${oneLine(textOf(value))}`,
    ]),
    '',
  ];
}

/** `type Account @key(fields: "id")`: the definition without its description and its body. */
function headOf(type: TypeDefinitionNode): string {
  const bare = visit(type, { FieldDefinition: () => null, EnumValueDefinition: () => null });
  return oneLine(print(Object.assign({}, bare, { description: undefined })));
}

function fieldLines(
  owner: string,
  field: FieldDefinitionNode,
  names: ReadonlySet<string>,
): string[] {
  const directives = (field.directives ?? []).map((directive) => `, \`${print(directive)}\``);
  return [
    `### ${owner}.${field.name.value}`,
    '',
    `Type: ${typeLink(print(field.type), names)}${directives.join('')}`,
    '',
    textOf(field),
    '',
    ...(field.arguments ?? []).map((argument) => argumentLine(argument, names)),
    '',
  ];
}

function argumentLine(argument: InputValueDefinitionNode, names: ReadonlySet<string>): string {
  const type = typeLink(print(argument.type), names);
  return `- **${argument.name.value}**, ${type}: ${oneLine(textOf(argument))}`;
}

/** `[Account!]!` as code, with a link if the page describes the type. */
function typeLink(type: string, names: ReadonlySet<string>): string {
  const name = type.replace(/[^\w]/g, '');
  return names.has(name) ? `[\`${type}\`](#${name.toLowerCase()})` : `\`${type}\``;
}

function textOf({
  description,
}: {
  readonly description?: { readonly value: string } | undefined;
}) {
  return description?.value ?? '';
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
