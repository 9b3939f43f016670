import { z } from 'zod';

/** A field of an input that may be absent or null, and then has the given value. */
export const orDefault = <Shape extends z.ZodType>(shape: Shape, value: z.output<Shape>) =>
  shape.nullish().transform((given): z.output<Shape> => given ?? value);

type Change<Fields extends z.ZodRawShape> = {
  [Field in keyof Fields]: z.ZodOptional<z.ZodType<z.output<Fields[Field]> | undefined>>;
};

/**
 * The fields of a change, from the fields of the whole resource. If a field is absent, it is not changed. If a field is
 * null, it becomes null if it is nullable, else it is not changed. Assign the result to the entity with
 * `{ ignoreUndefined: true }`.
 */
export const changeOf = <Fields extends z.ZodRawShape>(fields: Fields): Change<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      z.safeParse(field, null).success
        ? z.optional(field)
        : z.nullish(field).transform((given) => given ?? undefined),
    ]),
  ) as unknown as Change<Fields>;
