// `data` that is written already, on its way through Apollo Server, which takes it for a tree.
import type { FormattedExecutionResult } from 'graphql';

/** The JSON text of an answer's `data`. */
export class WrittenData {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Apollo Server's `stringifyResult`: the JSON text of an answer, of which `data` may be written already. */
export function stringifyResult(result: FormattedExecutionResult): string {
  const { data, extensions } = result;
  if (!(data instanceof WrittenData)) return JSON.stringify(result);
  const written = `{"data":${data.text}`;
  return extensions === undefined
    ? `${written}}`
    : `${written},"extensions":${JSON.stringify(extensions)}}`;
}
