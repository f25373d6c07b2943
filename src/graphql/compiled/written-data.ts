// `data` that is written already, on its way through Apollo Server, which takes it for a tree.
import type { FormattedExecutionResult } from 'graphql';
import { type JsonBytes, textOf } from '../../json/json-text.ts';

/** The JSON of an answer's `data`. */
export class WrittenData {
  readonly bytes: JsonBytes;

  constructor(bytes: JsonBytes) {
    this.bytes = bytes;
  }
}

/** Apollo Server's `stringifyResult`: the JSON text of an answer, of which `data` may be written already. */
export function stringifyResult(result: FormattedExecutionResult): string {
  const { data, extensions } = result;
  if (!(data instanceof WrittenData)) return JSON.stringify(result);
  const written = `{"data":${textOf(data.bytes)}`;
  return extensions === undefined
    ? `${written}}`
    : `${written},"extensions":${JSON.stringify(extensions)}}`;
}
