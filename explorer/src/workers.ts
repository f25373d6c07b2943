// Monaco's workers, each in a separate file, because the page's policy allows no scripts from blobs.
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
