// Parses a PromQL expression: which metrics and label values it selects, and which labels it uses for grouping and
// matching.
import type { SyntaxNodeRef } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  readonly metric: string;
  /** The value or the pattern of each label. */
  readonly matchers: ReadonlyMap<string, string>;
}

export interface Reading {
  readonly selectors: readonly Selector[];
  /** The labels outside of selectors, such as those in `by` and `on`. */
  readonly grouping: readonly string[];
}

/** Parses an expression by Prometheus' own grammar; throws if it is invalid. */
export function readPromQL(expression: string): Reading {
  const selectors: { metric: string; matchers: Map<string, string> }[] = [];
  const grouping: string[] = [];
  const textOf = ({ from, to }: SyntaxNodeRef) => expression.slice(from, to);
  let label = '';
  const enter = (node: SyntaxNodeRef) => {
    if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${expression}`);
    const isMatcher = node.node.parent?.name === 'UnquotedLabelMatcher';
    if (node.name === 'VectorSelector') selectors.push({ metric: '', matchers: new Map() });
    else if (node.name === 'LabelName' && !isMatcher) grouping.push(textOf(node));
    const selector = selectors.at(-1);
    if (selector === undefined) return;
    if (node.name === 'Identifier') selector.metric = textOf(node);
    else if (node.name === 'LabelName') label = textOf(node);
    else if (node.name === 'StringLiteral' && isMatcher) {
      selector.matchers.set(label, JSON.parse(textOf(node)) as string);
    }
  };
  parser.parse(expression).iterate({ enter });
  return { selectors, grouping };
}
