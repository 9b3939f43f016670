import { Migration } from '@mikro-orm/migrations';

/**
 * Journals: one row for each journal in `journal`, its records after the snapshot in `journal_record`, and the snapshot, which
 * has the records that lead to the state at `base`, in `journal_snapshot`.
 */
export class CreateJournals extends Migration {
  override up(): void {
    this.addSql(
      `create table "journal" ("kind" text not null, "id" text not null, "seq" int not null, "mark" uuid not null, "base" int not null, "base_mark" uuid null, "changed_at" timestamptz not null, primary key ("kind", "id"));`,
    );
    this.addSql(`create index "journal_kind_changed_at_index" on "journal" ("kind", "changed_at");`);
    // json, not jsonb: jsonb refuses NUL characters and unpaired surrogates, which journals in files may contain.
    this.addSql(
      `create table "journal_record" ("kind" text not null, "id" text not null, "seq" int not null, "mark" uuid not null, "record" json not null, primary key ("kind", "id", "seq"));`,
    );
    this.addSql(
      `alter table "journal_record" add constraint "journal_record_kind_id_foreign" foreign key ("kind", "id") references "journal" ("kind", "id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `create table "journal_snapshot" ("kind" text not null, "id" text not null, "records" json not null, primary key ("kind", "id"));`,
    );
    this.addSql(
      `alter table "journal_snapshot" add constraint "journal_snapshot_kind_id_foreign" foreign key ("kind", "id") references "journal" ("kind", "id") on update cascade on delete cascade;`,
    );
  }

  override down(): void {
    for (const table of ['journal_snapshot', 'journal_record', 'journal'])
      this.addSql(`drop table if exists "${table}" cascade;`);
  }
}
