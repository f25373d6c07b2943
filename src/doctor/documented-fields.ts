// The fields that the service's API description names, object by object (docs/mapping.md), for comparison with answers.
import {
  accountFields,
  addressFields,
  holderFields,
  individualFields,
  paginationFields,
  transactionFields,
} from '../upstream/shape/shapes.ts';

/** A place in an answer -> the documented fields of an object there. A list's elements are below `[]`. */
export const documentedFields: Readonly<Record<string, readonly string[]>> = {
  '/persons': ['person', 'individual', 'address', 'accounts'],
  '/persons person': namesIn(holderFields),
  '/persons individual': namesIn(individualFields),
  '/persons address': namesIn(addressFields),
  '/persons accounts[]': namesIn(accountFields),
  '/companies': ['token', 'entityType', 'entity', 'accounts'],
  '/companies entity': namesIn(holderFields),
  '/companies accounts[]': namesIn(accountFields),
  '/transactions': ['data', 'pagination'],
  '/transactions pagination': [...Object.keys(paginationFields), 'totalPages'],
  '/transactions data[]': namesIn(transactionFields),
};

function namesIn(table: object): string[] {
  return ['id', ...Object.keys(table)];
}
