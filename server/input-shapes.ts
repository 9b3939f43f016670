import { z } from 'zod';

/** A field of an input that may be absent or null, with the value that it then has. */
export const orDefault = <Shape extends z.ZodType>(shape: Shape, value: z.output<Shape>) =>
  shape.nullish().transform((given): z.output<Shape> => given ?? value);

type Change<Fields extends z.ZodRawShape> = {
  [Field in keyof Fields]: z.ZodOptional<z.ZodType<z.output<Fields[Field]> | undefined>>;
};

/**
 * The fields of a change, from those of the whole resource. An absent field is unchanged. Null empties a field that is
 * nullable; it leaves every other field unchanged. Assign the result to the entity with `{ ignoreUndefined: true }`.
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
