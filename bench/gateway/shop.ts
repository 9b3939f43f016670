const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])`;

/** The usual supergraph of gateway benchmarks: products, stock, reviews and their authors. */
export const SHOP_SDLS = {
  accounts: `${link}
    type Query { me: User user(id: ID!): User users: [User!]! }
    type User @key(fields: "id") { id: ID! name: String username: String birthday: Int }`,
  inventory: `${link}
    type Product @key(fields: "upc") {
      upc: String! weight: Int @external price: Int @external inStock: Boolean
      shippingEstimate: Int @requires(fields: "price weight")
    }`,
  products: `${link}
    type Query { topProducts(first: Int = 5): [Product!]! product(upc: String!): Product }
    type Product @key(fields: "upc") { upc: String! name: String price: Int weight: Int }`,
  reviews: `${link}
    type Review @key(fields: "id") { id: ID! body: String author: User! product: Product! }
    type User @key(fields: "id") { id: ID! reviews: [Review!]! }
    type Product @key(fields: "upc") { upc: String! reviews: [Review!]! }`,
} as const;
