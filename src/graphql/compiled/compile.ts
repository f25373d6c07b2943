// Compiles an operation into a plan, which reads the operation's data and writes the answer.
import {
  type DocumentNode,
  type FieldNode,
  getNullableType,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql';
// The specification's algorithm CollectFields (6.3.2), which the main module of graphql 16 does not export.
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { LRUCache } from 'lru-cache';
import { JsonOutput } from '../../json/json-output.ts';
import { type JsonBytes, Literal } from '../../json/json-bytes.ts';
import { maxAnswerLength } from '../limits/answer-size.ts';
import { fragmentsOf } from '../limits/document-size.ts';
import type { Variables } from '../operation/operation-request.ts';
import type { Run } from './run.ts';
import { readOf } from './service-field.ts';
import {
  Bailout,
  leafPlan,
  type LeafPlace,
  listOf,
  nullable,
  objectOf,
  oneOf,
  type Plan,
  propertyOf,
} from './value-plan.ts';

export interface OperationPlan {
  /** Starts the reads. Throws a Bailout, or an error that graphql-js then reports. */
  readonly load: (run: Run) => void;
  /**
   * Writes the data after all reads have ended. Throws a Bailout for a value that the fast path does not support, and
   * `tooLong` beyond `maxAnswerLength`.
   */
  readonly write: (run: Run) => JsonBytes;
  /** Estimated bytes of memory. */
  readonly weight: number;
}

/** In bytes per field: more than the 450 to 600 measured in Node.js 24, because the first run needs more memory. */
const fieldWeight = 1024;

/** The weight of about a thousand fields; graphql-js executes larger operations. */
const maxPlanWeight = 1024 * 1024;

const root = {};

/** Reused for all answers, because each answer is written synchronously. */
const output = new JsonOutput(maxAnswerLength);

/** `conditions` has the variables that @skip and @include use. Throws a Bailout for an unsupported operation. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: Variables,
): OperationPlan {
  const compiler = new Compiler(schema, document, operation, conditions);
  const { write, load } = compiler.operation();
  return {
    load: (run) => load?.(root, run),
    write(run) {
      output.begin();
      write(output, root, run);
      return output.take();
    },
    weight: compiler.weight,
  };
}

/** Text such as `,"id":` is part of many plans; sharing it saves memory. */
const sharedHeads = new LRUCache<string, Literal>({
  max: 2000,
  memoMethod: (head) => new Literal(head),
});

/** Only short strings are shared, because aliases can be long. */
const maxSharedLength = 64;

type Field = GraphQLField<unknown, unknown>;

/** All selections that share a response key; their field names and arguments are the same. */
type FieldNodes = readonly FieldNode[];

/** Builds the plan of one operation. In its methods, `head` is the text that precedes a value in the answer. */
class Compiler {
  /** The plan itself counts as one field: the cache needs a weight above zero, even if all fields are skipped. */
  weight = fieldWeight;
  readonly #info;
  readonly #conditions: Variables;
  #slots = 0;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    conditions: Variables,
  ) {
    this.#info = { schema, fragments: fragmentsOf(document), operation, rootValue: root };
    this.#conditions = conditions;
  }

  operation(): Plan {
    const { schema, fragments, operation } = this.#info;
    const type = schema.getRootType(operation.operation);
    if (!type) throw new Bailout(`no ${operation.operation} type`);
    const { selectionSet } = operation;
    const fields = collectFields(schema, fragments, this.#conditions, type, selectionSet);
    return this.#object(type, fields, '');
  }

  #object(type: GraphQLObjectType, fields: ReadonlyMap<string, FieldNodes>, head: string): Plan {
    if (type.isTypeOf) throw new Bailout(`${type.name} has isTypeOf`);
    const plans = [...fields].map(([key, nodes], index) =>
      this.#field(type, nodes, `${index === 0 ? `${head}{` : ','}"${key}":`),
    );
    return objectOf(plans, `${head}{}`);
  }

  /** The input value of the returned plan is the field's parent. */
  #field(parentType: GraphQLObjectType, nodes: FieldNodes, head: string): Plan {
    this.weight += fieldWeight + 2 * head.length;
    if (this.weight > maxPlanWeight) throw new Bailout('too large');
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') {
      const literal = new Literal(`${head}"${parentType.name}"`);
      return { write: (output) => output.literal(literal), load: undefined };
    }
    const field: Field | undefined = parentType.getFields()[name];
    if (field === undefined) throw new Bailout(`${parentType.name} has no ${name}`);
    const { type: returnType, resolve } = field;
    const value = this.#value(returnType, nodes, head);
    if (resolve === undefined) return propertyOf(name, value);
    const info = { ...this.#info, fieldName: name, returnType, parentType, fieldNodes: nodes };
    return readOf(this.#slots++, field, info, value);
  }

  #value(type: GraphQLOutputType, nodes: FieldNodes, head: string): Plan {
    const present = getNullableType(type);
    if (isLeafType(present)) return leafPlan(present, placeOf(type, head));
    let plan: Plan;
    if (isListType(present)) plan = listOf(this.#value(present.ofType, nodes, ''), head);
    else if (isObjectType(present)) plan = this.#selected(present, nodes, head);
    else plan = this.#abstract(present, nodes, head);
    return isNonNullType(type) ? plan : nullable(plan, `${head}null`);
  }

  #selected(type: GraphQLObjectType, nodes: FieldNodes, head: string): Plan {
    const { schema, fragments } = this.#info;
    const fields = collectSubfields(schema, fragments, this.#conditions, type, nodes);
    return this.#object(type, fields, head);
  }

  #abstract(type: GraphQLAbstractType, nodes: FieldNodes, head: string): Plan {
    const { resolveType } = type;
    if (!resolveType) throw new Bailout(`${type.name} does not tell its types`);
    const types = this.#info.schema.getPossibleTypes(type);
    const plans = new Map<unknown, Plan>(
      types.map((one) => [one.name, this.#selected(one, nodes, head)]),
    );
    // The gateway's type resolvers use no argument other than the value.
    const nameOf = resolveType as unknown as (value: object) => unknown;
    return oneOf([...plans.values()], (value) => plans.get(nameOf(value)));
  }
}

function placeOf(type: GraphQLOutputType, text: string): LeafPlace {
  const head = text.length > maxSharedLength ? new Literal(text) : sharedHeads.memo(text);
  return { head, isNullable: !isNonNullType(type) };
}
