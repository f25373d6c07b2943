// Calculates the price of an operation from @cost and @listSize, as routers do before they run it. If a router's result
// depends on its settings or version, the lower price is used here.
import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** The parts of the price of one field. */
interface Parts {
  /** @cost of the field, if it has one. */
  readonly field: number | undefined;
  /** @cost of the field's type; without @cost, 1 for an object type and 0 for any other type. */
  readonly type: number;
  /** The sum of @cost of the given arguments. */
  readonly args: number;
  /** The number of items according to @listSize; 1 if the field is not a list. */
  readonly size: number;
  /** The price of the field's selection. */
  readonly below: number;
}

interface Formula {
  readonly name: string;
  readonly price: (parts: Parts) => number;
}

/**
 * The formulas differ in two points: whether the weights of a field and its type are added, and which weights are
 * multiplied by the length of a list.
 */
export const formulas: readonly Formula[] = [
  {
    name: 'Hive Gateway',
    price: ({ field = 0, type, args, size, below }) => size * (field + type + args + below),
  },
  {
    name: 'Hive Router',
    price: ({ field = 0, type, args, size, below }) => field + args + size * (type + below),
  },
  {
    name: 'Apollo Router',
    price: ({ field, type, args, size, below }) => size * ((field ?? type) + below) + args,
  },
];

/**
 * The price of a document's only operation; 0 if the variables cannot be coerced, because such an operation is not
 * executed.
 */
export function priceOf(
  formula: Formula,
  schema: GraphQLSchema,
  document: DocumentNode,
  values: Readonly<Record<string, unknown>>,
): number {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) return 0;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], values);
  const query = schema.getQueryType();
  if (coerced === undefined || !query) return 0;
  const calculator = new Calculator(formula, schema, document, coerced);
  return calculator.priceOfAll(operation.selectionSet, query, new Map());
}

/** Sizes of lists that the parent field sets, by field name. */
type Sizes = ReadonlyMap<string, number>;

class Calculator {
  readonly #formula: Formula;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;

  constructor(
    formula: Formula,
    schema: GraphQLSchema,
    { definitions }: DocumentNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#formula = formula;
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = new Map(
      definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
      ),
    );
  }

  priceOfAll(selections: SelectionSetNode, parent: GraphQLNamedType, sizes: Sizes): number {
    let sum = 0;
    for (const node of selections.selections) {
      if (this.#condition(node, 'skip') === true) continue;
      if (this.#condition(node, 'include') === false) continue;
      if (node.kind === Kind.FIELD) {
        sum += this.#priceOfField(node, parent, sizes);
        continue;
      }
      const fragment =
        node.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(node.name.value) : node;
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value ?? parent.name;
      sum += this.priceOfAll(fragment.selectionSet, this.#type(condition), sizes);
    }
    return sum;
  }

  /** The value of a directive's `if`; undefined without the directive. */
  #condition(node: SelectionNode, name: string): unknown {
    const directive = node.directives?.find((one) => one.name.value === name);
    const [condition] = directive?.arguments ?? [];
    return condition && valueFromASTUntyped(condition.value, this.#variables);
  }

  #type(name: string): GraphQLNamedType {
    const type = this.#schema.getType(name);
    if (type === undefined) throw new Error(`no ${name}`);
    return type;
  }

  #priceOfField(node: FieldNode, parent: GraphQLNamedType, sizes: Sizes): number {
    const name = node.name.value;
    if (name.startsWith('__')) return 0;
    if (!isObjectType(parent) && !isInterfaceType(parent)) throw new Error(`${name} is no field`);
    const field = parent.getFields()[name];
    if (field === undefined) throw new Error(`no ${name}`);
    const type = getNamedType(field.type);
    const given = getArgumentValues(field, node, this.#variables);
    const { size, below } = listSizesOf(field, given);
    const isList = isListType(getNullableType(field.type));
    return this.#formula.price({
      field: weightOf(field),
      type: weightOf(type) ?? (isObjectType(type) ? 1 : 0),
      args: field.args
        .filter((arg) => given[arg.name] != null)
        .reduce((sum, arg) => sum + (weightOf(arg) ?? 0), 0),
      size: isList ? (sizes.get(name) ?? size) : 1,
      below: node.selectionSet === undefined ? 0 : this.priceOfAll(node.selectionSet, type, below),
    });
  }
}

/** The size of the field's own list, and the sizes of lists below it. */
function listSizesOf(
  field: GraphQLField<unknown, unknown>,
  given: Readonly<Record<string, unknown>>,
): { readonly size: number; readonly below: Sizes } {
  const { assumedSize, slicingArguments = [], sizedFields = [] } = argumentsOf(field, 'listSize');
  const slices = (slicingArguments as string[]).map((name) => Number(given[name] ?? 0));
  const size = Math.max(Number(assumedSize ?? 0), ...slices, 1);
  return { size, below: new Map((sizedFields as string[]).map((name) => [name, size])) };
}

function weightOf(
  place: GraphQLField<unknown, unknown> | GraphQLNamedType | GraphQLArgument,
): number | undefined {
  const { weight } = argumentsOf(place, 'cost');
  return weight === undefined ? undefined : Number(weight);
}

/** The arguments of a directive; empty without the directive. */
function argumentsOf(
  { astNode }: { readonly astNode?: Annotated | null | undefined },
  name: string,
): Readonly<Record<string, unknown>> {
  const directive = astNode?.directives?.find((node) => node.name.value === name);
  const args = directive?.arguments ?? [];
  return Object.fromEntries(args.map((arg) => [arg.name.value, valueFromASTUntyped(arg.value)]));
}

interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}
