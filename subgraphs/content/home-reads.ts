import DataLoader from 'dataloader';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** One part of the home page: an SQL expression that returns JSON, and the values of its placeholders. */
interface Part {
  readonly kind: 'sums' | 'page' | 'next workout';
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Reads what the home page shows of a user: the sums of a week, the latest trainings, the next workout. One statement reads
 * what is asked for in one tick, because a statement costs more than its few rows (`npm run bench:platform -- training`).
 */
export class HomeReads {
  private readonly unit: UnitOfWork;
  private readonly reads = new DataLoader<Part, unknown>((parts) => this.readAll(parts), { cache: false });

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** @returns the value of the SQL, whose type the caller knows */
  read<Value>(part: Part): Promise<Value> {
    return this.reads.load(part) as Promise<Value>;
  }

  /** A statement has at most one part of each kind, so that a connection prepares only a few different statements. */
  private async readAll(parts: readonly Part[]): Promise<unknown[]> {
    const byKind = [...Map.groupBy(parts, ({ kind }) => kind)].toSorted(([one], [other]) =>
      one < other ? -1 : 1,
    );
    const most = Math.max(...byKind.map(([, same]) => same.length));
    const statements = Array.from({ length: most }, (_unused, index) =>
      byKind.flatMap(([, same]) => same[index] ?? []),
    );
    const values = new Map<Part, unknown>();
    await Promise.all(
      statements.map(async (together) => {
        const [row] = await this.unit.read<Record<string, unknown>>(
          `select ${together.map(({ sql }, index) => `${sql} as part${index}`).join(', ')}`,
          together.flatMap((part) => part.values),
        );
        for (const [index, part] of together.entries()) values.set(part, row?.[`part${index}`]);
      }),
    );
    return parts.map((part) => values.get(part));
  }
}
