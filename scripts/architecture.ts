// docs/architecture.md: which part imports which, derived from the imports in src and doctor.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const root = new URL('../', import.meta.url);
/** The arrow of each kind of import. `value`: values, at startup; `dynamic`: values, on demand; `type`: only types. */
const arrows = { value: '-->', dynamic: '==>', type: '-.->' } as const;
type Sort = keyof typeof arrows;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly sort: Sort;
}

/** The page, with the drawing in Mermaid. */
export function architecturePage(): string {
  const files = globSync('{src,doctor}/**/*.ts', { cwd: root }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const parts = [...new Set(files.map(partOf))].sort();
  const imports = files.sort().flatMap(importsOf);
  return [
    '# Architecture',
    '',
    'This diagram shows the folders of [src/](../src), the files next to them, [doctor/](../doctor), and their imports. `npm run docs` generates the diagram from the code.',
    'A dotted arrow is a type-only import, and a thick arrow is a dynamic import. ESLint enforces the table of allowed imports in',
    '[src/README.md](../src/README.md#who-may-import-whom). That README also describes each file outside the sandbox.',
    '[lifecycle.md](lifecycle.md) follows a request through these folders.',
    '',
    '```mermaid',
    'flowchart TD',
    ...parts.flatMap((from) => drawnFrom(from, imports)),
    '```',
  ].join('\n');
}

/** If a part has several kinds of imports from another, one arrow shows the strongest kind. */
function drawnFrom(from: string, imports: readonly Import[]): string[] {
  const mine = imports.filter((one) => one.from === from && one.to !== from);
  const targets = [...new Set(mine.map(({ to }) => to))].sort();
  return targets.map((to) => {
    const sorts = mine.filter((one) => one.to === to).map(({ sort }) => sort);
    const strongest = (Object.keys(arrows) as Sort[]).find((sort) => sorts.includes(sort));
    return `  ${from} ${arrows[strongest ?? 'type']} ${to}`;
  });
}

function importsOf(file: string): Import[] {
  const text = readFileSync(new URL(file, root), 'utf8');
  const found: Import[] = [];
  const add = (target: ts.Node | undefined, sort: Sort) => {
    if (target === undefined || !ts.isStringLiteral(target) || !target.text.startsWith('.')) return;
    const to = partOf(posix.join(posix.dirname(file), target.text));
    found.push({ from: partOf(file), to, sort });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isOfTypes(node) ? 'type' : 'value');
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value');
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], 'dynamic');
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

function isOfTypes({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  const { phaseModifier, name, namedBindings } = importClause;
  if (phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  if (name !== undefined || namedBindings === undefined) return false;
  return ts.isNamedImports(namedBindings) && namedBindings.elements.every((one) => one.isTypeOnly);
}

/** The part that a file belongs to: `src/http/cors.ts` -> `http`, `src/errors.ts` -> `errors`. */
function partOf(file: string): string {
  return file.replace(/^src\//, '').replace(/\/.*|\.ts$/, '');
}
