const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9",
  import: ["@key", "@external", "@requires", "@provides", "@shareable", "@override", "@interfaceObject", "@inaccessible"])`;

/**
 * Subgraphs with features that are rare in those of the platform: interfaces and unions of entities and of plain objects,
 * an interface that is an object type in another subgraph (`@interfaceObject`), lists of lists, several and composite
 * keys, and fields with `@requires`, `@provides` and `@override`.
 */
export const HARD_SDLS = {
  catalog: `${link}
    scalar JSON
    enum Size { SMALL MEDIUM LARGE }
    type Query { item(id: ID!): Item items(first: Int = 3): [Item!]! media: [Media] medium(id: ID): Media! found(text: String): [Found] grid: [[Cell]] cubes: [[[Item!]!]] shelf: Shelf! tree: Node anything: JSON }
    type Mutation { addItem(input: ItemInput!): Item! renameShelf(name: String!): Shelf }
    input ItemInput { name: String! size: Size = SMALL tags: [String!] parts: [ItemInput!] extra: JSON }
    type Item @key(fields: "id") @key(fields: "sku brand { id }") {
      id: ID! sku: String! brand: Brand! name: String! size: Size! weight: Float dimensions: [Float!]! note: String
      related: [Item!]! parts: [[Item]] cell: Cell maker: Person @provides(fields: "nick")
    }
    type Brand @shareable { id: ID! label: String }
    type Cell { at: Int! item: Item items: [[Item!]!]! found: Found }
    interface Media @key(fields: "id") { id: ID! title: String! length: Int }
    type Film implements Media @key(fields: "id") { id: ID! title: String! length: Int director: Person! }
    type Song implements Media @key(fields: "id") { id: ID! title: String! length: Int singers: [Person!] bpm: Int! }
    type Book implements Media @key(fields: "id") { id: ID! title: String! length: Int pages: Int! author: Person }
    union Found = Item | Film | Person | Shelf
    interface Node { name: String children: [Node!] }
    type Branch implements Node { name: String children: [Node!] items: [Item!]! }
    type Leaf implements Node { name: String children: [Node!] item: Item! }
    type Shelf @shareable { name: String! rows: [[Media!]!]! first: Media top: Item }
    type Person @key(fields: "id") { id: ID! nick: String @external }
  `,
  people: `${link}
    type Query { person(id: ID!): Person people: [Person!]! me: Person! actor: Actor }
    type Mutation { greet(id: ID!, words: [String!]!): Person }
    interface Actor { name: String! friends: [Actor] }
    type Person implements Actor @key(fields: "id") { id: ID! nick: String @shareable name: String! age: Int! friends: [Actor] favourites: [Item!] likes: [Liked!] best: Person! }
    type Robot implements Actor { name: String! friends: [Actor] owner: Person serial: ID! }
    union Liked = Item | Person | Robot
    type Item @key(fields: "id", resolvable: false) { id: ID! }
  `,
  prices: `${link}
    enum Size { SMALL MEDIUM LARGE }
    type Query { cheapest(size: Size): Item deals: [[Deal!]] }
    type Deal { price: Money! item: Item media: [Media!] }
    type Money @shareable { amount: Int! currency: String! }
    type Item @key(fields: "id") {
      id: ID! weight: Float @external dimensions: [Float!]! @external size: Size! @external
      price: Money! note: String @override(from: "catalog") discount(percent: Int = 10): Float
      shipping: Int @requires(fields: "weight size") volume: Float! @requires(fields: "dimensions")
    }
    type Media @key(fields: "id") @interfaceObject { id: ID! price: Money rentals(first: Int): [Rental!]! }
    type Rental { days: Int! by: Person item: Item }
    type Person @key(fields: "id", resolvable: false) { id: ID! }
  `,
  reviews: `${link}
    type Query { latest: [Review!]! best: Subject }
    type Review @key(fields: "id") { id: ID! stars: Int! text: String by: Person! about: Subject others: [[Review!]] }
    union Subject = Item | Person
    type Item @key(fields: "sku brand { id }") { sku: String! brand: Brand! @shareable reviews(first: Int = 2): [Review!]! rating: Float }
    type Brand @shareable { id: ID! }
    type Person @key(fields: "id") { id: ID! age: Int! @external reviews: [Review] adult: Boolean! @requires(fields: "age") trust: Int @requires(fields: "age") }
    type Media @key(fields: "id") @interfaceObject { id: ID! title: String! @external reviews: [Review!] headline: String @requires(fields: "title") }
  `,
} as const;
