import { Migration } from '@mikro-orm/migrations';

export class GymDetails extends Migration {
  override up(): void {
    this.addSql(
      `alter table "gym" add "timezone" varchar(64) not null default 'UTC', add "join_policy" varchar(16) not null default 'OPEN', add "active" boolean not null default true, add "details_version" int not null default 1;`,
    );
    this.addSql(
      `update gym set timezone = first.timezone
       from (select distinct on (gym_id) gym_id, timezone from location order by gym_id, id) as first
       where first.gym_id = gym.id;`,
    );
  }

  override down(): void {
    this.addSql(
      `alter table "gym" drop column "timezone", drop column "join_policy", drop column "active", drop column "details_version";`,
    );
  }
}
