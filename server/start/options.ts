import type { DatabaseServer } from '../database/database-server.ts';
import type { Logger } from '../observability/logger.ts';
import type { ServerSettings } from '../settings.ts';

export interface StartOptions {
  /** 0 lets the system choose. */
  port: number;
  settings: ServerSettings & Record<string, unknown>;
  /** The server of the service's database; required if the service declares a database. */
  databaseServer?: DatabaseServer | undefined;
  /** Replaces the declared name of the database; for tests. */
  databaseName?: string | undefined;
  log?: Logger;
  /** Checks every REST answer against its declared shape; for tests. */
  verifyAnswers?: boolean;
  /**
   * Whether known queries and the usual REST requests are served without Express. Default: true. `bench:platform` compares
   * it with Express and Apollo Server alone, and so do tests.
   */
  usesFastPath?: boolean | undefined;
}
