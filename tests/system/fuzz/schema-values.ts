import type { Random } from '../../support/graph-doubles/random.ts';
import { hostileNumber, hostileText, hostileValue } from './hostile-values.ts';

/** The part of JSON Schema 2020-12 that the OpenAPI documents use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Makes values: most of them match the schema, the others are wrong in some places. */
export class SchemaValues {
  private readonly random: Random;
  private readonly resolve: (reference: string) => Schema;
  private readonly ids: readonly string[];
  /** The probability that a part of a value is hostile. */
  private readonly hostility: number;

  constructor(
    random: Random,
    options: { resolve(reference: string): Schema; ids: readonly string[]; hostility: number },
  ) {
    this.random = random;
    this.resolve = options.resolve;
    this.ids = options.ids;
    this.hostility = options.hostility;
  }

  of(schema: Schema, depth = 0): unknown {
    const { random } = this;
    if (random.chance(this.hostility)) return hostileValue(random);
    if (schema.$ref) return this.of(this.resolve(schema.$ref), depth);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return this.of(random.pick(alternatives), depth);
    if (schema.allOf)
      return Object.assign({}, ...schema.allOf.map((part) => this.of(part, depth))) as unknown;
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
    if (type === 'object' || schema.properties) return this.object(schema, depth);
    if (type === 'array') return this.array(schema, depth);
    if (type === 'integer' || type === 'number') return this.number(schema, type);
    if (type === 'boolean') return random.chance(0.5);
    if (type === 'null') return null;
    if (type === 'string') return this.text(schema);
    return hostileValue(random);
  }

  private object(schema: Schema, depth: number): unknown {
    const { random } = this;
    const value: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(schema.properties ?? {})) {
      const isRequired = schema.required?.includes(name) === true;
      if (random.chance(isRequired ? 0.97 : depth > 2 ? 0.2 : 0.6)) value[name] = this.of(part, depth + 1);
    }
    if (typeof schema.additionalProperties === 'object' && depth < 4)
      value[random.pick(['nutrition', 'squad', 'shop'])] = this.of(schema.additionalProperties, depth + 1);
    if (random.chance(this.hostility / 4)) value[hostileText(random).slice(0, 40)] = hostileValue(random);
    return value;
  }

  private array(schema: Schema, depth: number): unknown[] {
    const length = Math.min(
      schema.maxItems ?? 3,
      (schema.minItems ?? 0) + this.random.below(depth > 3 ? 2 : 3),
    );
    return Array.from({ length }, () => this.of(schema.items ?? {}, depth + 1));
  }

  private number({ minimum = -10, maximum = 100 }: Schema, type: string): number {
    if (this.random.chance(this.hostility)) return hostileNumber(this.random);
    const most = Math.min(maximum, minimum + 200);
    const value = minimum + this.random.below(1_000) * ((most - minimum) / 1_000);
    return type === 'integer' ? Math.round(value) : value;
  }

  private text(schema: Schema): string {
    const { random } = this;
    if (schema.format === 'uuid') return random.pick(this.ids);
    if (schema.format === 'date') return `2026-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
    if (schema.format === 'date-time')
      return `2026-${two(1 + random.below(12))}-${two(1 + random.below(28))}T${two(random.below(24))}:00:00Z`;
    if (schema.format === 'email') return `fuzz-${random.below(1_000_000)}@x.test`;
    if (schema.format === 'uri') return 'https://example.test/picture.png';
    if (schema.pattern?.startsWith('^#')) return '#1a2b3c';
    const text = `fuzz ${random.below(1_000_000)}`;
    return text.padEnd(schema.minLength ?? 0, 'x').slice(0, schema.maxLength ?? 200);
  }
}

const two = (value: number): string => String(value).padStart(2, '0');
