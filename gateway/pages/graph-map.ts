import {
  Kind,
  parse,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type ObjectTypeDefinitionNode,
} from 'graphql';

/** The types to which several subgraphs contribute, with each subgraph's number of fields. */
interface GraphMap {
  subgraphs: string[];
  /** `fields`: the number of fields by subgraph. The types with the most subgraphs come first. */
  types: { name: string; fields: ReadonlyMap<string, number> }[];
}

/** Reads the join directives of a supergraph. External fields and key fields do not count. */
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

/** Whether it is an entity or a root type, not a value type that several subgraphs define equally. */
const isShared = (type: ObjectTypeDefinitionNode): boolean =>
  ROOTS.has(type.name.value) || joined(type.directives, 'join__type').some(({ key }) => key !== undefined);

function fieldsBySubgraph(type: ObjectTypeDefinitionNode): Map<string, number> {
  const owners = joined(type.directives, 'join__type');
  const counts = new Map<string, number>();
  for (const field of type.fields ?? []) {
    const parts = joined(field.directives, 'join__field');
    // A field without a join directive belongs to every subgraph of the type.
    for (const { graph, external } of parts.length > 0 ? parts : owners)
      if (graph && !external && !isKey(field.name.value, graph, owners))
        counts.set(graph, (counts.get(graph) ?? 0) + 1);
  }
  return counts;
}

/** A key field only identifies the entity. */
const isKey = (field: string, graph: string, owners: readonly Joined[]): boolean =>
  owners.some((owner) => owner.graph === graph && owner.key?.split(/\W+/).includes(field));

/** The arguments of a join directive that are needed here. */
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

/** The map as an HTML table for the start page. */
export function graphMapTable(supergraphSdl: string): string {
  const { subgraphs, types } = graphMap(supergraphSdl);
  const title = (graph: string) => graph.toLowerCase();
  return `<div class="scroll" tabindex="0" role="region" aria-label="Types and services"><table class="map">
<thead><tr><th scope="col">Type</th>${subgraphs.map((graph) => `<th scope="col">${title(graph)}</th>`).join('')}</tr></thead>
<tbody>
${types.map(({ name, fields }) => `<tr><th scope="row"><code>${name}</code></th>${subgraphs.map((graph) => `<td>${fields.get(graph) ?? ''}</td>`).join('')}</tr>`).join('\n')}
</tbody>
</table></div>`;
}
