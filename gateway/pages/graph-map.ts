import {
  Kind,
  parse,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type ObjectTypeDefinitionNode,
} from 'graphql';

/** Which subgraph gives how much of the types that several have a part in. */
export interface GraphMap {
  subgraphs: string[];
  /** The number of fields by subgraph; the types that most subgraphs share come first. */
  types: { name: string; fields: ReadonlyMap<string, number> }[];
}

/** Read from the join directives of a supergraph; what is external or a key does not count. */
export function graphMap(supergraphSdl: string): GraphMap {
  const { definitions } = parse(supergraphSdl, { noLocation: true });
  const graphs = definitions.find(
    (node) => node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === 'join__Graph',
  );
  const subgraphs =
    graphs?.kind === Kind.ENUM_TYPE_DEFINITION ? (graphs.values ?? []).map(({ name }) => name.value) : [];
  const types = definitions
    .filter((node): node is ObjectTypeDefinitionNode => node.kind === Kind.OBJECT_TYPE_DEFINITION)
    .filter(isShared)
    .map((type) => ({ name: type.name.value, fields: fieldsBySubgraph(type) }))
    .filter(({ fields }) => fields.size > 1)
    .toSorted((a, b) => b.fields.size - a.fields.size || sumOf(b.fields) - sumOf(a.fields));
  return { subgraphs, types };
}

const ROOTS = new Set(['Query', 'Mutation', 'Subscription']);

/** Whether several subgraphs build it together, rather than each having one of the same shape. */
const isShared = (type: ObjectTypeDefinitionNode): boolean =>
  ROOTS.has(type.name.value) || joined(type.directives, 'join__type').some(({ key }) => key !== undefined);

function fieldsBySubgraph(type: ObjectTypeDefinitionNode): Map<string, number> {
  const owners = joined(type.directives, 'join__type');
  const counts = new Map<string, number>();
  for (const field of type.fields ?? []) {
    const parts = joined(field.directives, 'join__field');
    // A field that says nothing is given by everybody who has the type.
    for (const { graph, external } of parts.length > 0 ? parts : owners)
      if (graph && !external && !isKey(field.name.value, graph, owners))
        counts.set(graph, (counts.get(graph) ?? 0) + 1);
  }
  return counts;
}

/** Naming a thing gives nothing of it. */
const isKey = (field: string, graph: string, owners: readonly Joined[]): boolean =>
  owners.some((owner) => owner.graph === graph && owner.key?.split(/\W+/).includes(field));

/** The arguments of a join directive that count here. */
interface Joined {
  graph?: string;
  key?: string;
  external?: boolean;
}

const joined = (directives: readonly ConstDirectiveNode[] | undefined, name: string): Joined[] =>
  (directives ?? [])
    .filter((directive) => directive.name.value === name)
    .map((directive) =>
      Object.fromEntries(
        (directive.arguments ?? []).map((argument) => [
          argument.name.value,
          valueFromASTUntyped(argument.value),
        ]),
      ),
    );

const sumOf = (fields: ReadonlyMap<string, number>): number =>
  [...fields.values()].reduce((sum, count) => sum + count, 0);

/** The map as a table for the start page. */
export function graphMapTable(supergraphSdl: string): string {
  const { subgraphs, types } = graphMap(supergraphSdl);
  const title = (graph: string) => graph.toLowerCase();
  return `<div class="scroll"><table class="map">
<thead><tr><th scope="col">Type</th>${subgraphs.map((graph) => `<th scope="col">${title(graph)}</th>`).join('')}</tr></thead>
<tbody>
${types.map(({ name, fields }) => `<tr><th scope="row"><code>${name}</code></th>${subgraphs.map((graph) => `<td>${fields.get(graph) ?? ''}</td>`).join('')}</tr>`).join('\n')}
</tbody>
</table></div>`;
}
