// The page: GraphiQL, below a choice of callers if there are several.
import './workers.ts';
import 'graphiql/style.css';
import './page.css';
import { useMonaco } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import type { editor } from 'monaco-editor';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { type Caller, headersOf, readCallers } from './callers.ts';
import { fetcher, readNewest } from './gateway.ts';
import { storageOf } from './storage.ts';
import { tabsOf } from './tabs.ts';

/** A caller, with the cursor of its newest transaction. */
interface Visit {
  readonly caller: Caller;
  readonly newest: string;
}

async function visitAs(caller: Caller): Promise<Visit> {
  return { caller, newest: await readNewest(caller) };
}

interface ExplorerProps {
  readonly callers: readonly Caller[];
  readonly start: Visit;
}

function Explorer({ callers, start }: ExplorerProps) {
  const [{ caller, newest }, setVisit] = useState(start);
  const monaco = useMonaco(({ monaco: loaded }) => loaded);
  useEffect(() => {
    if (monaco === undefined) return undefined;
    // GraphiQL has created its editors just before this effect, and creates others for the next caller.
    monaco.editor.getEditors().forEach(wrapOperations);
    const listening = monaco.editor.onDidCreateEditor(wrapOperations);
    return () => listening.dispose();
  }, [monaco]);
  const choose = async (index: number) => setVisit(await visitAs(callers[index] ?? start.caller));
  return (
    <>
      {callers.length > 1 && (
        <label className="caller">
          Ask as
          <select
            value={callers.indexOf(caller)}
            onChange={(event) => void choose(Number(event.target.value))}
          >
            {callers.map(({ name, tenant }, index) => (
              <option key={`${tenant}/${name}`} value={index}>
                {name} ({tenant})
              </option>
            ))}
          </select>
        </label>
      )}
      <GraphiQL
        // Each caller has its own key, so that GraphiQL is created anew for it: GraphiQL reads its tabs and storage
        // only once.
        key={callers.indexOf(caller)}
        // GraphiQL's history would store tokens in the browser.
        plugins={[]}
        fetcher={fetcher}
        storage={storageOf(caller)}
        defaultTabs={tabsOf(caller, newest)}
        defaultHeaders={headersOf(caller)}
        defaultEditorToolsVisibility
        schemaDescription
      />
    </>
  );
}

/** Wraps the lines of operations, which would otherwise be cut off beside an open documentation. */
function wrapOperations(created: editor.ICodeEditor): void {
  const wrap = () => {
    const isOperation = created.getModel()?.uri.path.endsWith('operation.graphql') === true;
    created.updateOptions({ wordWrap: isOperation ? 'on' : 'off' });
  };
  wrap();
  created.onDidChangeModel(wrap);
}

const callers = readCallers();
const start = await visitAs(callers[0]);
const element = document.getElementById('explorer');
if (element !== null) createRoot(element).render(<Explorer callers={callers} start={start} />);
