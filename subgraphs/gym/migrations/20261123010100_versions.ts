import { Migration } from '@mikro-orm/migrations';

/** Adds versions, so that nobody overwrites a change that they have not seen. */
export class Versions extends Migration {
  override up(): void {
    // A column with a constant default is added without rewriting the table.
    for (const table of VERSIONED)
      this.addSql(`alter table "${table}" add column "version" int not null default 1;`);
    this.addSql(`alter table "gym_config_version" add column "draft_version" int null;`);
    // for the deletion of accounts
    this.addSql(
      `create index "gym_config_version_published_by_index" on "gym_config_version" ("published_by");`,
    );
    this.addSql(`create index "gym_config_draft_updated_by_index" on "gym_config_draft" ("updated_by");`);
  }

  override down(): void {
    this.addSql(`drop index "gym_config_draft_updated_by_index";`);
    this.addSql(`drop index "gym_config_version_published_by_index";`);
    this.addSql(`alter table "gym_config_version" drop column "draft_version";`);
    for (const table of VERSIONED) this.addSql(`alter table "${table}" drop column "version";`);
  }
}

const VERSIONED = ['location', 'announcement', 'challenge', 'post', 'gym_config_draft'];
