import { Migration } from '@mikro-orm/migrations';

/** Adds the status UNDO_FAILED: a saga that waits for a decision, and that workers skip. */
export class SagaUndoFailed extends Migration {
  override up(): void {
    this.addSql(`alter table "saga" add "undoing" jsonb null;`);
    this.addSql(`drop index "saga_due_index";`);
    this.addSql(
      `create index "saga_due_index" on "saga" ("due_at") where finished_at is null and status <> 'UNDO_FAILED';`,
    );
    this.addSql(
      `create index "saga_unfinished_index" on "saga" ("kind", "status") where finished_at is null;`,
    );
    this.addSql(`create index "saga_undoing_index" on "saga" ("kind") where undoing is not null;`);
    this.addSql(
      `create index "saga_finished_index" on "saga" ("kind", "finished_at") where finished_at is not null;`,
    );
  }

  /** The previous version has no UNDO_FAILED, so it continues to undo these sagas. */
  override down(): void {
    this.addSql(`drop index "saga_finished_index";`);
    this.addSql(`drop index "saga_undoing_index";`);
    this.addSql(`drop index "saga_unfinished_index";`);
    this.addSql(`update "saga" set status = 'UNDOING', due_at = now() where status = 'UNDO_FAILED';`);
    this.addSql(`drop index "saga_due_index";`);
    this.addSql(`create index "saga_due_index" on "saga" ("due_at") where finished_at is null;`);
    this.addSql(`alter table "saga" drop column "undoing";`);
  }
}
