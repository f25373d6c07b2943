// Adds directives to type definitions, by coordinate: for SDL files that contain more than schema/.
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parse,
} from 'graphql';

/** Directives as SDL, by `Type`, `Type.field` or `Type.field(argument:)`. */
export type Annotations = Readonly<Record<string, string>>;

/** A copy of the definitions with these directives added; throws for a coordinate that does not exist in them. */
export function annotate(typeDefs: DocumentNode, annotations: Annotations): DocumentNode {
  const unread = new Set(Object.keys(annotations));
  const add = <T extends Annotated>(node: T, coordinate: string): T => {
    const text = annotations[coordinate];
    if (text === undefined) return node;
    unread.delete(coordinate);
    return { ...node, directives: [...(node.directives ?? []), ...parseDirectives(text)] };
  };
  const addToField = (field: FieldDefinitionNode, coordinate: string): FieldDefinitionNode => {
    const args = field.arguments?.map((arg) => add(arg, `${coordinate}(${arg.name.value}:)`));
    return add({ ...field, arguments: args ?? [] }, coordinate);
  };
  const addToDefinition = (node: DefinitionNode): DefinitionNode => {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_DEFINITION)
      return node;
    const { value: type } = node.name;
    const fields = node.fields?.map((field) => addToField(field, `${type}.${field.name.value}`));
    return add({ ...node, fields: fields ?? [] }, type);
  };
  const definitions = typeDefs.definitions.map(addToDefinition);
  if (unread.size > 0) throw new Error(`schema/ has no ${[...unread].join(', ')}`);
  return { ...typeDefs, definitions };
}

interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function parseDirectives(text: string): readonly ConstDirectiveNode[] {
  const [type] = parse(`scalar Any ${text}`, { noLocation: true }).definitions;
  return type?.kind === Kind.SCALAR_TYPE_DEFINITION ? (type.directives ?? []) : [];
}
