import { Migration } from '@mikro-orm/migrations';

export class AuditOfGyms extends Migration {
  override up(): void {
    this.addSql(`alter table "audit_event" add column "gym_id" uuid null;`);
    // The trigger refuses every update. Records of log-ins and passwords belong to no gym.
    this.addSql(`alter table "audit_event" disable trigger "audit_event_append_only";`);
    this.addSql(
      `update "audit_event" set "gym_id" = coalesce(("details" ->> 'gymId')::uuid, (select "gym_id" from "user_account" where "id" = "subject_id"))
       where "action" not in ('LOGGED_IN', 'LOGIN_FAILED', 'LOGIN_LOCKED', 'PASSWORD_CHANGED', 'PASSWORD_RESET', 'REFRESH_TOKEN_REUSED');`,
    );
    this.addSql(`alter table "audit_event" enable trigger "audit_event_append_only";`);
    this.addSql(`create index "audit_event_action_id_index" on "audit_event" ("action", "id");`);
    this.addSql(`create index "audit_event_gym_id_id_index" on "audit_event" ("gym_id", "id");`);
    this.addSql(
      `create index "audit_event_gym_id_action_id_index" on "audit_event" ("gym_id", "action", "id");`,
    );
  }

  override down(): void {
    this.addSql(`drop index "audit_event_gym_id_action_id_index";`);
    this.addSql(`drop index "audit_event_gym_id_id_index";`);
    this.addSql(`drop index "audit_event_action_id_index";`);
    this.addSql(`alter table "audit_event" drop column "gym_id";`);
  }
}
