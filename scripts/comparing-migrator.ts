import { Migrator } from '@mikro-orm/migrations';
import { DatabaseSchema, type MikroORM } from '@mikro-orm/postgresql';

/**
 * A migrator whose comparison leaves out the triggers and functions that hand-written migrations have created. MikroORM
 * reads only a part of their definitions, so it would write a `down` that creates them again with empty bodies.
 */
export class ComparingMigrator extends Migrator {
  private readonly orm: MikroORM;

  constructor(orm: MikroORM) {
    super(orm.em);
    this.orm = orm;
  }

  /** The schema with which entities are compared: the one in the database, without functions and hand-written triggers. */
  protected override async getSchemaFromSnapshot(): Promise<DatabaseSchema> {
    const { em, config } = this.orm;
    const platform = em.getPlatform();
    const schema = await DatabaseSchema.create(em.getConnection(), platform, config);
    const declared = this.declaredTriggers();
    for (const table of schema.getTables())
      table.setTriggers(table.getTriggers().filter(({ name }) => declared.get(table.name)?.has(name)));
    return schema;
  }

  /**
   * Statements that create the hand-written triggers of the tables without an entity. The new migration drops these tables,
   * so its `down` has to create their triggers again. The functions stay in the database.
   */
  async triggersOfDroppedTables(): Promise<string[]> {
    const declared = this.declaredTriggers();
    const { tableName } = this.orm.config.get('migrations');
    const rows = await this.orm.em.fork().execute<{ table: string; definition: string }[]>(
      `select relname as "table", pg_get_triggerdef(t.oid) as definition
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by relname, t.tgname`,
    );
    return rows
      .filter(({ table }) => table !== tableName && !declared.has(table))
      .map(({ definition }) => `${definition};`);
  }

  /** The names of the triggers that entities declare, by table; every table of an entity has an entry. */
  private declaredTriggers(): Map<string, Set<string>> {
    const entities = [...this.orm.getMetadata().getAll().values()];
    return new Map(
      entities.map(({ tableName, triggers }) => [
        tableName,
        new Set(triggers.map(({ name }) => name).filter((name) => name !== undefined)),
      ]),
    );
  }
}
