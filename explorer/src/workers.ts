// Monaco's workers, each a file of its own beside the page's: scripts out of blobs are not allowed there.
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';
import type { Environment } from 'monaco-editor';

const workers: Readonly<Record<string, new () => Worker>> = {
  json: JsonWorker,
  graphql: GraphQLWorker,
};

const environment: Environment = {
  getWorker: (_id, label) => new (workers[label] ?? EditorWorker)(),
};
Object.assign(globalThis, { MonacoEnvironment: environment });
