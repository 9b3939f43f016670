import type { MigrationDeclaration } from '#server/database/database.ts';
import { eventMigrations } from '#server/events/event-tables.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';
import { Gym } from './20261121045111_gym.ts';
import { AccountData } from './20261121120000_account_data.ts';
import { OccupancyChanges } from './20261122100000_occupancy_changes.ts';
import { ListedReferences } from './20261123090100_listed_references.ts';
import { GymOpening } from './20261123000200_gym_opening.ts';
import { OpeningHours } from './20261121130000_opening_hours.ts';
import { Relations } from './20261123010000_relations.ts';
import { Versions } from './20261123010100_versions.ts';
import { ListIndexes } from './20261123010200_list_indexes.ts';
import { Retention } from './20261123050000_retention.ts';
import { FilesWithoutRows } from './20261123090944_files_without_rows.ts';
import { Events } from './20261123210100_events.ts';
import { Webhooks } from './20261123210200_webhooks.ts';
import { GymDetails } from './20261124090100_gym_details.ts';
import { WebhookJobs } from './20261124100000_webhook_jobs.ts';
import { Classes } from './20261124103000_classes.ts';
import { Orders } from './20261124101100_orders.ts';
import { ChallengeSeries } from './20261124101200_challenge_series.ts';
import { CommentReports } from './20261124101300_comment_reports.ts';
import { TrainingScores } from './20261126100000_training_scores.ts';
import { FrontDesk } from './20261124100100_front_desk.ts';
import { EarlyAttempts } from './20261124110000_early_attempts.ts';
import { ChangeNotices } from './20261127180000_change_notices.ts';
import { WebhookMailFailures } from './20261128160036_webhook_mail_failures.ts';
import { AttendedByStaff } from './20261128183500_attended_by_staff.ts';

/** In the order in which they run. The names must never change, because the database stores the names of those that have run. */
export const migrations: MigrationDeclaration[] = [
  { name: '20261121045111_gym', class: Gym },
  { name: '20261121120000_account_data', class: AccountData },
  { name: '20261121130000_opening_hours', class: OpeningHours },
  { name: '20261122100000_occupancy_changes', class: OccupancyChanges },
  ...sagaMigrations,
  { name: '20261123000200_gym_opening', class: GymOpening },
  { name: '20261123010000_relations', class: Relations },
  { name: '20261123010100_versions', class: Versions },
  { name: '20261123010200_list_indexes', class: ListIndexes },
  { name: '20261123050000_retention', class: Retention },
  { name: '20261123090100_listed_references', class: ListedReferences },
  { name: '20261123090944_files_without_rows', class: FilesWithoutRows },
  ...eventMigrations,
  { name: '20261123210100_events', class: Events },
  { name: '20261123210200_webhooks', class: Webhooks },
  { name: '20261124090100_gym_details', class: GymDetails },
  { name: '20261124100000_webhook_jobs', class: WebhookJobs },
  { name: '20261124103000_classes', class: Classes },
  { name: '20261124101100_orders', class: Orders },
  { name: '20261124101200_challenge_series', class: ChallengeSeries },
  { name: '20261124101300_comment_reports', class: CommentReports },
  { name: '20261124100100_front_desk', class: FrontDesk },
  { name: '20261124110000_early_attempts', class: EarlyAttempts },
  { name: '20261126100000_training_scores', class: TrainingScores },
  { name: '20261127180000_change_notices', class: ChangeNotices },
  { name: '20261128160036_webhook_mail_failures', class: WebhookMailFailures },
  { name: '20261128183500_attended_by_staff', class: AttendedByStaff },
];
