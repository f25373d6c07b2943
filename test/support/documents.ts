// Selections of the fields of several types in schema/client.graphql, for operations that select nearly everything.
import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isInterfaceType, isLeafType, isObjectType } from 'graphql';

const sdl = readFileSync(new URL('../../schema/client.graphql', import.meta.url), 'utf8');
const schema = buildSchema(sdl);

/** The names of a type's fields that have a scalar or enum type. */
function leavesOf(typeName: string): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`no fields in ${typeName}`);
  const fields = Object.values(type.getFields());
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
  return leaves.map(({ name }) => name).join(' ');
}

export const accountFields = leavesOf('Account');

/** Selects the fields of `Me` for both kinds of holder, without statements. */
export const meFields = `__typename
  ... on AccountHolder { ${leavesOf('AccountHolder')} accounts { ${accountFields} } }
  ... on Person { individual { ${leavesOf('Individual')} } address { ${leavesOf('Address')} } }`;

export const transactionFields = leavesOf('Transaction');

/**
 * Selects every field of a TransactionConnection. In `edges`, every field of the transactions is selected; in `nodes`,
 * only the id.
 */
export const connectionFields = `edges { cursor node { ${transactionFields} } } nodes { id } totalCount
  pageInfo { ${leavesOf('PageInfo')} }`;
