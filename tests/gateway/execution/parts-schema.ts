import { buildSchema } from 'graphql';

/** The schema for the tests that test a single part of the execution. */
export const schema = buildSchema(`
  scalar Upload  scalar Any
  enum Size { SMALL LARGE }
  interface Media { id: ID! }
  type Film implements Media { id: ID! title: String maker: Person }
  type Song implements Media { id: ID! title: String }
  type Person { id: ID! name: String }
  input Form { name: String next: Form pictures: [Upload!] }
  input Plain { name: String }
  type Query { media: [Media] film(form: Form, plain: Plain): Film }
`);
