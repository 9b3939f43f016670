import { z } from 'zod';

/**
 * The select list for rows of a shape. It selects each field's column in snake case; days become `YYYY-MM-DD`, and
 * instants ISO 8601 in UTC with milliseconds.
 *
 *     columnsOf(LocationShape)   // id as "id", gym_id as "gymId", ...
 *
 * @param expressions SQL for the fields whose value is not the column of the same name
 */
export function columnsOf(shape: z.ZodObject, expressions: Readonly<Record<string, string>> = {}): string {
  return Object.entries(shape.shape)
    .map(([field, type]) => {
      const column = expressions[field] ?? columnOf(field);
      return `${asText(column, type)} as "${field}"`;
    })
    .join(', ');
}

/** The column of a field, in snake case. */
export const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function asText(sql: string, type: z.core.$ZodType): string {
  if (type instanceof z.ZodNullable) return asText(sql, type.unwrap());
  if (type instanceof z.ZodISODate) return `to_char(${sql}, 'YYYY-MM-DD')`;
  if (type instanceof z.ZodISODateTime)
    return `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return sql;
}

/** An entity with the fields of an answer. A nullable field may be absent; an instant is a `Date`. */
type Source<Answer> = {
  readonly [Field in keyof Answer as null extends Answer[Field] ? never : Field]: Answer[Field] | Date;
} & {
  readonly [Field in keyof Answer as null extends Answer[Field] ? Field : never]?:
    | Answer[Field]
    | Date
    | undefined;
};

/** The fields of a shape from an entity, with the same values that a select of `columnsOf` returns for its row. */
export function presented<Shape extends z.ZodObject>(
  shape: Shape,
  entity: Source<z.infer<Shape>>,
): z.infer<Shape> {
  const values = entity as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(shape.shape).map((field) => {
      const value = values[field] ?? null;
      return [field, value instanceof Date ? value.toISOString() : value];
    }),
  ) as z.infer<Shape>;
}
