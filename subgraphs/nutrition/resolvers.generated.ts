// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AnalysisItem as AnalysisItemModel, Food as FoodModel, FoodAnalysis as FoodAnalysisModel, FoodLog as FoodLogModel, FoodLogImport as FoodLogImportModel, FoodNutrients as FoodNutrientsModel, LoggedMeal as LoggedMealModel, Nutrients as NutrientsModel, NutritionDay as NutritionDayModel, NutritionGoal as NutritionGoalModel, NutritionPoint as NutritionPointModel, NutritionRemaining as NutritionRemainingModel, User as UserModel } from './models.ts';
import type { Context } from './services.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** ISO 8601 in UTC, e.g. `2026-01-31T18:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  /** A local day, `YYYY-MM-DD`. */
  Date: { input: string; output: string; }
  /** A file of a GraphQL multipart request. */
  Upload: { input: Promise<import('graphql-upload/processRequest.mjs').FileUpload>; output: never; }
  _FieldSet: { input: unknown; output: unknown; }
};

export type Query = {
  __typename?: 'Query';
  /** The food table and your own foods, by name; the best match first if there is a search. */
  foods: Maybe<FoodConnection>;
  /** One food; null if there is none that you may see. */
  food: Maybe<Food>;
  /** The food with a barcode (EAN-8, UPC-A or EAN-13): your own, else a product of the product database, if one is configured. Null if there is none; `VALIDATION_FAILED` for a text that is no barcode. */
  foodByBarcode: Maybe<Food>;
  /** The progress, or the result, of your import; null if there is none. */
  foodLogImport: Maybe<FoodLogImport>;
  /** One entry of your own food log; `NOT_FOUND` for an entry of another user. */
  foodLog: Maybe<FoodLog>;
  /** Your goals: the defaults, then those of weekdays, each with the latest first, then those of single dates. */
  nutritionGoals: Maybe<Array<NutritionGoal>>;
};


export type QueryFoodsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  category?: InputMaybe<Scalars['String']['input']>;
  recent?: InputMaybe<Scalars['Boolean']['input']>;
  favourite?: InputMaybe<Scalars['Boolean']['input']>;
  locale?: InputMaybe<Scalars['String']['input']>;
};


export type QueryFoodArgs = {
  id: Scalars['ID']['input'];
  locale?: InputMaybe<Scalars['String']['input']>;
};


export type QueryFoodByBarcodeArgs = {
  code: Scalars['String']['input'];
  locale?: InputMaybe<Scalars['String']['input']>;
};


export type QueryFoodLogImportArgs = {
  id: Scalars['ID']['input'];
};


export type QueryFoodLogArgs = {
  id: Scalars['ID']['input'];
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Estimates the nutrients of a meal from words or 1 to 4 pictures; logs nothing. The AI provider estimates if one is configured, else the food table (words only).
   * `AI_NOT_CONFIGURED` for a picture without a provider; `AI_UNAVAILABLE`, `AI_TIMEOUT`, `AI_UNUSABLE_ANSWER` if the provider fails.
   */
  analyzeFood: Maybe<FoodAnalysis>;
  /** Imports a CSV file of entries. Every line is imported, or is a duplicate, or is wrong and reported. A file that was imported before changes nothing. */
  importFoodLogs: Maybe<FoodLogImport>;
  /** Adds a food of your own, which nobody else sees. `CONFLICT` if another food of yours has the same name and brand, or the barcode. */
  createFood: Maybe<Food>;
  /** Changes a food of your own; absent fields are unchanged. `FORBIDDEN` for a food of the table or a product, `NOT_FOUND` for a food of another user. */
  updateFood: Maybe<Food>;
  /** Deletes a food of your own; entries that were logged with it stay. */
  deleteFood: Maybe<Scalars['Boolean']['output']>;
  /** Adds a food to your favourites, or removes it. */
  setFoodFavourite: Maybe<Food>;
  /** Writes an entry of your own food log. */
  logFood: Maybe<FoodLog>;
  /** Writes all entries of a confirmed meal, or none. */
  logMeal: Maybe<LoggedMeal>;
  /** Changes an entry; absent fields are unchanged. `NOT_FOUND` for an entry of another user; `VERSION_CONFLICT` if `version` differs from the stored one. */
  updateFoodLog: Maybe<FoodLog>;
  /** Deletes an entry. `NOT_FOUND` for an entry of another user. */
  deleteFoodLog: Maybe<Scalars['Boolean']['output']>;
  /** Logs the same food again: now, or on the day and at the time of the input. */
  copyFoodLog: Maybe<FoodLog>;
  /** Sets your goal for a weekday or a date; with neither, the default goal. It is valid from the day `from` until the next goal of its kind begins; earlier days keep their goals. */
  setNutritionGoal: Maybe<NutritionGoal>;
  /** Deletes your goal of a weekday or a date; with neither, the default goal. It ends before the day `from`; earlier days keep it. */
  deleteNutritionGoal: Maybe<Scalars['Boolean']['output']>;
};


export type MutationAnalyzeFoodArgs = {
  input: AnalyzeFoodInput;
};


export type MutationImportFoodLogsArgs = {
  input: ImportFoodLogsInput;
};


export type MutationCreateFoodArgs = {
  input: CreateFoodInput;
};


export type MutationUpdateFoodArgs = {
  input: UpdateFoodInput;
};


export type MutationDeleteFoodArgs = {
  input: DeleteFoodInput;
};


export type MutationSetFoodFavouriteArgs = {
  input: SetFoodFavouriteInput;
};


export type MutationLogFoodArgs = {
  input: LogFoodInput;
};


export type MutationLogMealArgs = {
  input: LogMealInput;
};


export type MutationUpdateFoodLogArgs = {
  input: UpdateFoodLogInput;
};


export type MutationDeleteFoodLogArgs = {
  input: DeleteFoodLogInput;
};


export type MutationCopyFoodLogArgs = {
  input: CopyFoodLogInput;
};


export type MutationSetNutritionGoalArgs = {
  input: SetNutritionGoalInput;
};


export type MutationDeleteNutritionGoalArgs = {
  input: DeleteNutritionGoalInput;
};

/** Something that was eaten. Only its owner sees it; no admin does. */
export type FoodLog = {
  __typename?: 'FoodLog';
  id: Scalars['ID']['output'];
  userId: Scalars['ID']['output'];
  /** The food of the entry; null: the entry has none, or it was deleted. */
  foodId: Maybe<Scalars['ID']['output']>;
  foodName: Scalars['String']['output'];
  /** kcal */
  calories: Scalars['Int']['output'];
  /** g */
  protein: Scalars['Float']['output'];
  /** g */
  carbs: Scalars['Float']['output'];
  /** g */
  fats: Scalars['Float']['output'];
  /** Number of `unit`. */
  quantity: Maybe<Scalars['Float']['output']>;
  /** For example `cup`, `slice`, `g`. */
  unit: Maybe<Scalars['String']['output']>;
  grams: Maybe<Scalars['Float']['output']>;
  mealType: Maybe<MealType>;
  source: FoodLogSource;
  /** When it was eaten. */
  loggedAt: Scalars['DateTime']['output'];
  /** The day that the entry counts for, in the user's time zone when they logged it. */
  localDate: Scalars['Date']['output'];
  createdAt: Scalars['DateTime']['output'];
  /** Starts at 1 and increases with every change. */
  version: Scalars['Int']['output'];
};

export type MealType =
  | 'BREAKFAST'
  | 'LUNCH'
  | 'DINNER'
  | 'SNACK';

/** The origin of an entry. */
export type FoodLogSource =
  | 'MANUAL'
  /** An analysis by the AI provider, which the user confirmed. */
  | 'AI'
  /** An estimate by the food table, which the user confirmed. */
  | 'FOOD_TABLE'
  | 'COPY'
  | 'IMPORT';

/** An estimate of a meal. */
export type FoodAnalysis = {
  __typename?: 'FoodAnalysis';
  /** In the order of the text. */
  items: Array<AnalysisItem>;
  total: Nutrients;
  /** Confidence of the total, 0 to 1: its true calories are expected within (1 - confidence) of the number. At 0.8 and above, this is right for at least four of five meals of the calibration set. */
  confidence: Scalars['Float']['output'];
  /** Questions whose answers would improve the estimate: about assumed portions, weights above a usual meal, ambiguous numbers, corrected words. */
  questions: Array<Scalars['String']['output']>;
  /** Parts of the text that were not understood, as written, and implausible items of an AI provider. They are in no item and not in the total. */
  unknown: Array<Scalars['String']['output']>;
  /** `food-table`, or the AI provider, e.g. `gemini`; `gemini+food-table` if the table added or corrected nutrients. */
  provider: Scalars['String']['output'];
};

export type AnalysisItem = {
  __typename?: 'AnalysisItem';
  name: Scalars['String']['output'];
  grams: Scalars['Float']['output'];
  /** kcal */
  calories: Scalars['Int']['output'];
  protein: Scalars['Float']['output'];
  carbs: Scalars['Float']['output'];
  fats: Scalars['Float']['output'];
  /** 0 to 1: the true value is expected within (1 - confidence) of the number. */
  confidence: Scalars['Float']['output'];
  /** Always true: food that was not recognised is in `unknown` of the analysis. */
  known: Scalars['Boolean']['output'];
};

/** A food of the table, a food of your own, or a product with a barcode. */
export type Food = {
  __typename?: 'Food';
  id: Scalars['ID']['output'];
  /** In the language of the request, or in English if there is no such name. */
  name: Scalars['String']['output'];
  brand: Maybe<Scalars['String']['output']>;
  /** EAN-8 or EAN-13. */
  barcode: Maybe<Scalars['String']['output']>;
  /** Null for own foods and products. */
  category: Maybe<Scalars['String']['output']>;
  /** Number of the food in USDA SR28, if its values are from there. */
  ndb: Maybe<Scalars['String']['output']>;
  per100g: FoodNutrients;
  /** Household measures: cup, tbsp, slice, piece, large ... */
  measures: Array<FoodMeasure>;
  /** The amount that is assumed if a text names none; null: nothing is assumed. */
  portion: Maybe<FoodPortion>;
  /** Whether it is your own food, which you may change. */
  custom: Scalars['Boolean']['output'];
  /** Starts at 1 and increases with every change. */
  version: Scalars['Int']['output'];
};

/** The nutrients of 100 g: energy in kcal, the others in grams; null: unknown. */
export type FoodNutrients = {
  __typename?: 'FoodNutrients';
  calories: Scalars['Float']['output'];
  protein: Maybe<Scalars['Float']['output']>;
  carbs: Maybe<Scalars['Float']['output']>;
  fats: Maybe<Scalars['Float']['output']>;
  fibre: Maybe<Scalars['Float']['output']>;
  sugars: Maybe<Scalars['Float']['output']>;
  salt: Maybe<Scalars['Float']['output']>;
};

export type FoodMeasure = {
  __typename?: 'FoodMeasure';
  name: Scalars['String']['output'];
  grams: Scalars['Float']['output'];
};

export type FoodPortion = {
  __typename?: 'FoodPortion';
  amount: Scalars['Float']['output'];
  unit: Scalars['String']['output'];
  grams: Scalars['Float']['output'];
};

export type FoodConnection = {
  __typename?: 'FoodConnection';
  edges: Array<FoodEdge>;
  nodes: Array<Food>;
  pageInfo: PageInfo;
};

export type FoodEdge = {
  __typename?: 'FoodEdge';
  cursor: Scalars['String']['output'];
  node: Food;
};

/** The progress, or the result, of an import of a CSV file. */
export type FoodLogImport = {
  __typename?: 'FoodLogImport';
  id: Scalars['ID']['output'];
  status: ImportStatus;
  /** Lines read so far, without the header and empty lines: the sum of `imported`, `duplicates` and `failed`. A text in quotes with line breaks counts as one line. */
  lines: Scalars['Int']['output'];
  imported: Scalars['Int']['output'];
  /** Lines that were imported before. */
  duplicates: Scalars['Int']['output'];
  /** Lines with errors, which were not imported. */
  failed: Scalars['Int']['output'];
  /** The first 1,000 errors of lines. */
  errors: Array<ImportError>;
  /** The number of further errors. */
  errorsOmitted: Scalars['Int']['output'];
  /** How the file was read; null until it is decided. */
  format: Maybe<CsvFormat>;
  startedAt: Scalars['DateTime']['output'];
  finishedAt: Maybe<Scalars['DateTime']['output']>;
};

export type ImportStatus =
  | 'RUNNING'
  | 'DONE'
  /** The import did not reach the end of the file. Imported lines stay; send the same file again for the rest. */
  | 'FAILED';

/** How a CSV file was read: as the request states, else as detected in the file. */
export type CsvFormat = {
  __typename?: 'CsvFormat';
  encoding: CsvEncoding;
  delimiter: CsvDelimiter;
  decimal: CsvDecimal;
  /** Null: no date of the file depends on it. */
  dateOrder: Maybe<CsvDateOrder>;
};

export type CsvEncoding =
  | 'UTF_8'
  | 'UTF_16LE'
  | 'UTF_16BE'
  | 'WINDOWS_1252';

export type CsvDelimiter =
  | 'COMMA'
  | 'SEMICOLON'
  | 'TAB';

export type CsvDecimal =
  /** 1.5 and 1,234.5 */
  | 'POINT'
  /** 1,5 and 1.234,5 */
  | 'COMMA';

export type CsvDateOrder =
  /** 3/4/2026 is 3 April. */
  | 'DMY'
  /** 3/4/2026 is 4 March. */
  | 'MDY';

export type ImportError = {
  __typename?: 'ImportError';
  /** Line of the file; the first line is 1. */
  line: Scalars['Int']['output'];
  /** The title of the column in the file; null: the whole line. */
  column: Maybe<Scalars['String']['output']>;
  message: Scalars['String']['output'];
};

export type NutritionMetric =
  | 'CALORIES'
  | 'PROTEIN'
  | 'CARBS'
  | 'FATS';

/** The entries of a confirmed meal. */
export type LoggedMeal = {
  __typename?: 'LoggedMeal';
  entries: Array<FoodLog>;
  totals: Nutrients;
};

/** Energy in kcal, the others in grams. */
export type Nutrients = {
  __typename?: 'Nutrients';
  calories: Scalars['Int']['output'];
  protein: Scalars['Float']['output'];
  carbs: Scalars['Float']['output'];
  fats: Scalars['Float']['output'];
};

/** One day of eating. */
export type NutritionDay = {
  __typename?: 'NutritionDay';
  date: Scalars['Date']['output'];
  /** The sums of its entries. */
  totals: Nutrients;
  /** The goal of the date, else of its weekday, else the default; null if there is none. */
  goal: Maybe<NutritionGoal>;
  /** Goal minus totals; null if there is no goal. */
  remaining: Maybe<NutritionRemaining>;
  /** The first eaten first. */
  entries: Array<FoodLog>;
};

/** Negative if more was eaten than the goal; null for a nutrient without a goal. */
export type NutritionRemaining = {
  __typename?: 'NutritionRemaining';
  calories: Scalars['Int']['output'];
  protein: Maybe<Scalars['Float']['output']>;
  carbs: Maybe<Scalars['Float']['output']>;
  fats: Maybe<Scalars['Float']['output']>;
};

/** What a user wants to eat on a day. With neither weekday nor date, it is the default goal. */
export type NutritionGoal = {
  __typename?: 'NutritionGoal';
  /** kcal */
  calories: Scalars['Int']['output'];
  /** g; null: no goal */
  protein: Maybe<Scalars['Float']['output']>;
  carbs: Maybe<Scalars['Float']['output']>;
  fats: Maybe<Scalars['Float']['output']>;
  /** 1 (Monday) to 7 (Sunday). */
  weekday: Maybe<Scalars['Int']['output']>;
  date: Maybe<Scalars['Date']['output']>;
  /** First day of the goal; null for the goal of a date. */
  from: Maybe<Scalars['Date']['output']>;
  /** Last day of the goal, because the next one follows or it was deleted; null: it has no end. */
  until: Maybe<Scalars['Date']['output']>;
  /** Starts at 1 and increases with every change. */
  version: Scalars['Int']['output'];
};

/** A day, week or month of eating. */
export type NutritionPoint = {
  __typename?: 'NutritionPoint';
  /** First day of the bucket, or of the range if that is later. */
  start: Scalars['Date']['output'];
  /** Last day of the bucket, or of the range if that is earlier. */
  end: Scalars['Date']['output'];
  totals: Nutrients;
  /** Averages per day, over the days with entries. */
  averages: Nutrients;
  /** The mean goal per day; null if there is none. */
  goal: Maybe<NutritionRemaining>;
  /** Number of days with entries. */
  loggedDays: Scalars['Int']['output'];
  /** Number of entries. */
  entries: Scalars['Int']['output'];
};

export type NutritionBucket =
  | 'DAY'
  /** From Monday. */
  | 'WEEK'
  | 'MONTH';

export type User = {
  __typename?: 'User';
  id: Scalars['ID']['output'];
  /** The food log, the latest day first. `NOT_FOUND` for another user, also for admins. */
  foodLogs: Maybe<FoodLogConnection>;
  /** One day of eating; default: the user's today. `NOT_FOUND` for another user. */
  nutritionDay: Maybe<NutritionDay>;
  /** Totals and averages over time; default: the last 30 days, at most ten years. `NOT_FOUND` for another user. */
  nutritionSeries: Maybe<Array<NutritionPoint>>;
  /** The series as an SVG picture, whose colours follow the light or dark scheme of the viewer. `NOT_FOUND` for another user. */
  nutritionChart: Maybe<Scalars['String']['output']>;
  /** The food log as CSV, the oldest entry first; `importFoodLogs` accepts it. `NOT_FOUND` for another user. */
  foodLogCsv: Maybe<Scalars['String']['output']>;
  /** The goal of a day; default: the user's today. Null if there is none. `NOT_FOUND` for another user. */
  nutritionGoal: Maybe<NutritionGoal>;
};


export type UserFoodLogsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  from?: InputMaybe<Scalars['Date']['input']>;
  to?: InputMaybe<Scalars['Date']['input']>;
  mealType?: InputMaybe<MealType>;
};


export type UserNutritionDayArgs = {
  date?: InputMaybe<Scalars['Date']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
};


export type UserNutritionSeriesArgs = {
  from?: InputMaybe<Scalars['Date']['input']>;
  to?: InputMaybe<Scalars['Date']['input']>;
  bucket?: InputMaybe<NutritionBucket>;
  timezone?: InputMaybe<Scalars['String']['input']>;
};


export type UserNutritionChartArgs = {
  from?: InputMaybe<Scalars['Date']['input']>;
  to?: InputMaybe<Scalars['Date']['input']>;
  bucket?: InputMaybe<NutritionBucket>;
  metric?: InputMaybe<NutritionMetric>;
  timezone?: InputMaybe<Scalars['String']['input']>;
};


export type UserFoodLogCsvArgs = {
  from?: InputMaybe<Scalars['Date']['input']>;
  to?: InputMaybe<Scalars['Date']['input']>;
};


export type UserNutritionGoalArgs = {
  date?: InputMaybe<Scalars['Date']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
};

export type FoodLogConnection = {
  __typename?: 'FoodLogConnection';
  edges: Array<FoodLogEdge>;
  nodes: Array<FoodLog>;
  pageInfo: PageInfo;
};

export type FoodLogEdge = {
  __typename?: 'FoodLogEdge';
  cursor: Scalars['String']['output'];
  node: FoodLog;
};

/** The position of a page in its connection. */
export type PageInfo = {
  __typename?: 'PageInfo';
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
  endCursor: Maybe<Scalars['String']['output']>;
};

export type AnalyzeFoodInput = {
  /** What was eaten, in everyday words. */
  prompt?: InputMaybe<Scalars['String']['input']>;
  /** Language tag of the prompt and of the names in the answer. The food table understands English, and with it one of `de`, `fr` and `es`. The language decides how numbers are read. */
  locale?: InputMaybe<Scalars['String']['input']>;
  /** 1 to 4 pictures: JPEG, PNG, WebP or AVIF, at most 10 MiB each. */
  images?: InputMaybe<Array<Scalars['Upload']['input']>>;
};

export type ImportFoodLogsInput = {
  /** CSV with a header line; see `POST /log/import`. */
  file: Scalars['Upload']['input'];
  /** An id that you choose, to read the progress by `foodLogImport`. */
  importId?: InputMaybe<Scalars['ID']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
  /** Default: detected from the dates of the file; `VALIDATION_FAILED` if they are ambiguous. */
  dateOrder?: InputMaybe<CsvDateOrder>;
  /** Default: detected from the numbers of the file. */
  decimal?: InputMaybe<CsvDecimal>;
  /** Default: detected from the header. */
  delimiter?: InputMaybe<CsvDelimiter>;
  /** Default: detected from the bytes of the file. */
  encoding?: InputMaybe<CsvEncoding>;
};

export type LogFoodInput = {
  /** The id of a food of the table, of your own food, or of a product. Absent values follow from it. */
  foodId?: InputMaybe<Scalars['ID']['input']>;
  /** Required without `foodId`. Default: the name of the food. */
  foodName?: InputMaybe<Scalars['String']['input']>;
  /** Whole kcal. Required without `foodId`. Default: by the food and the weight. */
  calories?: InputMaybe<Scalars['Int']['input']>;
  /** g. Default: by the food and the weight; without `foodId` 0. */
  protein?: InputMaybe<Scalars['Float']['input']>;
  carbs?: InputMaybe<Scalars['Float']['input']>;
  fats?: InputMaybe<Scalars['Float']['input']>;
  quantity?: InputMaybe<Scalars['Float']['input']>;
  unit?: InputMaybe<Scalars['String']['input']>;
  /** Default with `foodId`: by quantity and unit, else the food's usual portion. */
  grams?: InputMaybe<Scalars['Float']['input']>;
  mealType?: InputMaybe<MealType>;
  /** `MANUAL` (default), `AI` or `FOOD_TABLE`. */
  source?: InputMaybe<FoodLogSource>;
  /** When it was eaten; default: now. */
  loggedAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The day that the entry counts for. Default: the day of `loggedAt` in the time zone. */
  localDate?: InputMaybe<Scalars['Date']['input']>;
  /** IANA time zone that decides the day. Default: your profile. */
  timezone?: InputMaybe<Scalars['String']['input']>;
};

/** The other fields are defaults for all entries. */
export type LogMealInput = {
  /** 1 to 100. */
  entries: Array<LogFoodInput>;
  mealType?: InputMaybe<MealType>;
  loggedAt?: InputMaybe<Scalars['DateTime']['input']>;
  localDate?: InputMaybe<Scalars['Date']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
};

/** A new weight (`grams`) changes absent nutrients and an absent quantity in proportion. A new day (`localDate`) keeps the local time. */
export type UpdateFoodLogInput = {
  id: Scalars['ID']['input'];
  /** Another food; absent values follow from it. Null: the entry has no food. */
  foodId?: InputMaybe<Scalars['ID']['input']>;
  foodName?: InputMaybe<Scalars['String']['input']>;
  calories?: InputMaybe<Scalars['Int']['input']>;
  protein?: InputMaybe<Scalars['Float']['input']>;
  carbs?: InputMaybe<Scalars['Float']['input']>;
  fats?: InputMaybe<Scalars['Float']['input']>;
  quantity?: InputMaybe<Scalars['Float']['input']>;
  unit?: InputMaybe<Scalars['String']['input']>;
  grams?: InputMaybe<Scalars['Float']['input']>;
  mealType?: InputMaybe<MealType>;
  loggedAt?: InputMaybe<Scalars['DateTime']['input']>;
  localDate?: InputMaybe<Scalars['Date']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
  /** The version that the change is based on; absent: the last write wins. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type DeleteFoodLogInput = {
  id: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type CopyFoodLogInput = {
  id: Scalars['ID']['input'];
  mealType?: InputMaybe<MealType>;
  loggedAt?: InputMaybe<Scalars['DateTime']['input']>;
  localDate?: InputMaybe<Scalars['Date']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
};

export type SetNutritionGoalInput = {
  /** kcal a day */
  calories: Scalars['Int']['input'];
  /** g a day */
  protein?: InputMaybe<Scalars['Float']['input']>;
  carbs?: InputMaybe<Scalars['Float']['input']>;
  fats?: InputMaybe<Scalars['Float']['input']>;
  /** 1 (Monday) to 7 (Sunday). */
  weekday?: InputMaybe<Scalars['Int']['input']>;
  date?: InputMaybe<Scalars['Date']['input']>;
  /** First day of the goal; it may be in the past. Default: your today. Not with `date`. */
  from?: InputMaybe<Scalars['Date']['input']>;
  /** The version that the change is based on; absent: the last write wins. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type DeleteNutritionGoalInput = {
  weekday?: InputMaybe<Scalars['Int']['input']>;
  date?: InputMaybe<Scalars['Date']['input']>;
  /** First day without the goal. Default: your today. Not with `date`. */
  from?: InputMaybe<Scalars['Date']['input']>;
  /** The version that the deletion is based on; absent: any version is deleted. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type CreateFoodInput = {
  name: Scalars['String']['input'];
  brand?: InputMaybe<Scalars['String']['input']>;
  /** EAN-8, UPC-A or EAN-13. */
  barcode?: InputMaybe<Scalars['String']['input']>;
  per100g: FoodNutrientsInput;
  /** At most 20. */
  measures?: InputMaybe<Array<FoodMeasureInput>>;
};

/** Absent fields are unchanged; null empties a field that may be null. */
export type UpdateFoodInput = {
  id: Scalars['ID']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  brand?: InputMaybe<Scalars['String']['input']>;
  barcode?: InputMaybe<Scalars['String']['input']>;
  per100g?: InputMaybe<FoodNutrientsChangeInput>;
  measures?: InputMaybe<Array<FoodMeasureInput>>;
  /** The version that the change is based on; absent: the last write wins. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type DeleteFoodInput = {
  id: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type SetFoodFavouriteInput = {
  id: Scalars['ID']['input'];
  favourite: Scalars['Boolean']['input'];
};

/** The nutrients of 100 g: energy in kcal, the others in grams; absent or null: unknown. */
export type FoodNutrientsInput = {
  calories: Scalars['Float']['input'];
  protein?: InputMaybe<Scalars['Float']['input']>;
  carbs?: InputMaybe<Scalars['Float']['input']>;
  fats?: InputMaybe<Scalars['Float']['input']>;
  fibre?: InputMaybe<Scalars['Float']['input']>;
  sugars?: InputMaybe<Scalars['Float']['input']>;
  salt?: InputMaybe<Scalars['Float']['input']>;
};

export type FoodNutrientsChangeInput = {
  calories?: InputMaybe<Scalars['Float']['input']>;
  protein?: InputMaybe<Scalars['Float']['input']>;
  carbs?: InputMaybe<Scalars['Float']['input']>;
  fats?: InputMaybe<Scalars['Float']['input']>;
  fibre?: InputMaybe<Scalars['Float']['input']>;
  sugars?: InputMaybe<Scalars['Float']['input']>;
  salt?: InputMaybe<Scalars['Float']['input']>;
};

export type FoodMeasureInput = {
  name: Scalars['String']['input'];
  grams: Scalars['Float']['input'];
};



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  FoodLog: FoodLog;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  FoodLog:
    ( { __typename: 'FoodLog' }
    & GraphQLRecursivePick<FederationTypes['FoodLog'], {"id":true}> );
  User:
    ( { __typename: 'User' }
    & GraphQLRecursivePick<FederationTypes['User'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Date: ResolverTypeWrapper<Scalars['Date']['output']>;
  Upload: ResolverTypeWrapper<Scalars['Upload']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  FoodLog: ResolverTypeWrapper<FoodLogModel>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  MealType: MealType;
  FoodLogSource: FoodLogSource;
  FoodAnalysis: ResolverTypeWrapper<FoodAnalysisModel>;
  AnalysisItem: ResolverTypeWrapper<AnalysisItemModel>;
  Food: ResolverTypeWrapper<FoodModel>;
  FoodNutrients: ResolverTypeWrapper<FoodNutrientsModel>;
  FoodMeasure: ResolverTypeWrapper<FoodMeasure>;
  FoodPortion: ResolverTypeWrapper<FoodPortion>;
  FoodConnection: ResolverTypeWrapper<Omit<FoodConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['FoodEdge']>, nodes: Array<ResolversTypes['Food']> }>;
  FoodEdge: ResolverTypeWrapper<Omit<FoodEdge, 'node'> & { node: ResolversTypes['Food'] }>;
  FoodLogImport: ResolverTypeWrapper<FoodLogImportModel>;
  ImportStatus: ImportStatus;
  CsvFormat: ResolverTypeWrapper<CsvFormat>;
  CsvEncoding: CsvEncoding;
  CsvDelimiter: CsvDelimiter;
  CsvDecimal: CsvDecimal;
  CsvDateOrder: CsvDateOrder;
  ImportError: ResolverTypeWrapper<ImportError>;
  NutritionMetric: NutritionMetric;
  LoggedMeal: ResolverTypeWrapper<LoggedMealModel>;
  Nutrients: ResolverTypeWrapper<NutrientsModel>;
  NutritionDay: ResolverTypeWrapper<NutritionDayModel>;
  NutritionRemaining: ResolverTypeWrapper<NutritionRemainingModel>;
  NutritionGoal: ResolverTypeWrapper<NutritionGoalModel>;
  NutritionPoint: ResolverTypeWrapper<NutritionPointModel>;
  NutritionBucket: NutritionBucket;
  User: ResolverTypeWrapper<UserModel>;
  FoodLogConnection: ResolverTypeWrapper<Omit<FoodLogConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['FoodLogEdge']>, nodes: Array<ResolversTypes['FoodLog']> }>;
  FoodLogEdge: ResolverTypeWrapper<Omit<FoodLogEdge, 'node'> & { node: ResolversTypes['FoodLog'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  AnalyzeFoodInput: AnalyzeFoodInput;
  ImportFoodLogsInput: ImportFoodLogsInput;
  LogFoodInput: LogFoodInput;
  LogMealInput: LogMealInput;
  UpdateFoodLogInput: UpdateFoodLogInput;
  DeleteFoodLogInput: DeleteFoodLogInput;
  CopyFoodLogInput: CopyFoodLogInput;
  SetNutritionGoalInput: SetNutritionGoalInput;
  DeleteNutritionGoalInput: DeleteNutritionGoalInput;
  CreateFoodInput: CreateFoodInput;
  UpdateFoodInput: UpdateFoodInput;
  DeleteFoodInput: DeleteFoodInput;
  SetFoodFavouriteInput: SetFoodFavouriteInput;
  FoodNutrientsInput: FoodNutrientsInput;
  FoodNutrientsChangeInput: FoodNutrientsChangeInput;
  FoodMeasureInput: FoodMeasureInput;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  Date: Scalars['Date']['output'];
  Upload: Scalars['Upload']['output'];
  Query: Record<PropertyKey, never>;
  Int: Scalars['Int']['output'];
  String: Scalars['String']['output'];
  Boolean: Scalars['Boolean']['output'];
  ID: Scalars['ID']['output'];
  Mutation: Record<PropertyKey, never>;
  FoodLog: FoodLogModel;
  Float: Scalars['Float']['output'];
  FoodAnalysis: FoodAnalysisModel;
  AnalysisItem: AnalysisItemModel;
  Food: FoodModel;
  FoodNutrients: FoodNutrientsModel;
  FoodMeasure: FoodMeasure;
  FoodPortion: FoodPortion;
  FoodConnection: Omit<FoodConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['FoodEdge']>, nodes: Array<ResolversParentTypes['Food']> };
  FoodEdge: Omit<FoodEdge, 'node'> & { node: ResolversParentTypes['Food'] };
  FoodLogImport: FoodLogImportModel;
  CsvFormat: CsvFormat;
  ImportError: ImportError;
  LoggedMeal: LoggedMealModel;
  Nutrients: NutrientsModel;
  NutritionDay: NutritionDayModel;
  NutritionRemaining: NutritionRemainingModel;
  NutritionGoal: NutritionGoalModel;
  NutritionPoint: NutritionPointModel;
  User: UserModel;
  FoodLogConnection: Omit<FoodLogConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['FoodLogEdge']>, nodes: Array<ResolversParentTypes['FoodLog']> };
  FoodLogEdge: Omit<FoodLogEdge, 'node'> & { node: ResolversParentTypes['FoodLog'] };
  PageInfo: PageInfo;
  AnalyzeFoodInput: AnalyzeFoodInput;
  ImportFoodLogsInput: ImportFoodLogsInput;
  LogFoodInput: LogFoodInput;
  LogMealInput: LogMealInput;
  UpdateFoodLogInput: UpdateFoodLogInput;
  DeleteFoodLogInput: DeleteFoodLogInput;
  CopyFoodLogInput: CopyFoodLogInput;
  SetNutritionGoalInput: SetNutritionGoalInput;
  DeleteNutritionGoalInput: DeleteNutritionGoalInput;
  CreateFoodInput: CreateFoodInput;
  UpdateFoodInput: UpdateFoodInput;
  DeleteFoodInput: DeleteFoodInput;
  SetFoodFavouriteInput: SetFoodFavouriteInput;
  FoodNutrientsInput: FoodNutrientsInput;
  FoodNutrientsChangeInput: FoodNutrientsChangeInput;
  FoodMeasureInput: FoodMeasureInput;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DateScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Date'], any> {
  name: 'Date';
}

export interface UploadScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Upload'], any> {
  name: 'Upload';
}

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  foods?: Resolver<Maybe<ResolversTypes['FoodConnection']>, ParentType, ContextType, Partial<QueryFoodsArgs>>;
  food?: Resolver<Maybe<ResolversTypes['Food']>, ParentType, ContextType, RequireFields<QueryFoodArgs, 'id'>>;
  foodByBarcode?: Resolver<Maybe<ResolversTypes['Food']>, ParentType, ContextType, RequireFields<QueryFoodByBarcodeArgs, 'code'>>;
  foodLogImport?: Resolver<Maybe<ResolversTypes['FoodLogImport']>, ParentType, ContextType, RequireFields<QueryFoodLogImportArgs, 'id'>>;
  foodLog?: Resolver<Maybe<ResolversTypes['FoodLog']>, ParentType, ContextType, RequireFields<QueryFoodLogArgs, 'id'>>;
  nutritionGoals?: Resolver<Maybe<Array<ResolversTypes['NutritionGoal']>>, ParentType, ContextType>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  analyzeFood?: Resolver<Maybe<ResolversTypes['FoodAnalysis']>, ParentType, ContextType, RequireFields<MutationAnalyzeFoodArgs, 'input'>>;
  importFoodLogs?: Resolver<Maybe<ResolversTypes['FoodLogImport']>, ParentType, ContextType, RequireFields<MutationImportFoodLogsArgs, 'input'>>;
  createFood?: Resolver<Maybe<ResolversTypes['Food']>, ParentType, ContextType, RequireFields<MutationCreateFoodArgs, 'input'>>;
  updateFood?: Resolver<Maybe<ResolversTypes['Food']>, ParentType, ContextType, RequireFields<MutationUpdateFoodArgs, 'input'>>;
  deleteFood?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteFoodArgs, 'input'>>;
  setFoodFavourite?: Resolver<Maybe<ResolversTypes['Food']>, ParentType, ContextType, RequireFields<MutationSetFoodFavouriteArgs, 'input'>>;
  logFood?: Resolver<Maybe<ResolversTypes['FoodLog']>, ParentType, ContextType, RequireFields<MutationLogFoodArgs, 'input'>>;
  logMeal?: Resolver<Maybe<ResolversTypes['LoggedMeal']>, ParentType, ContextType, RequireFields<MutationLogMealArgs, 'input'>>;
  updateFoodLog?: Resolver<Maybe<ResolversTypes['FoodLog']>, ParentType, ContextType, RequireFields<MutationUpdateFoodLogArgs, 'input'>>;
  deleteFoodLog?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteFoodLogArgs, 'input'>>;
  copyFoodLog?: Resolver<Maybe<ResolversTypes['FoodLog']>, ParentType, ContextType, RequireFields<MutationCopyFoodLogArgs, 'input'>>;
  setNutritionGoal?: Resolver<Maybe<ResolversTypes['NutritionGoal']>, ParentType, ContextType, RequireFields<MutationSetNutritionGoalArgs, 'input'>>;
  deleteNutritionGoal?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteNutritionGoalArgs, 'input'>>;
};

export type FoodLogResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodLog'] = ResolversParentTypes['FoodLog'], FederationReferenceType extends FederationReferenceTypes['FoodLog'] = FederationReferenceTypes['FoodLog']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['FoodLog']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  userId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  foodId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  foodName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  calories?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  protein?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  carbs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  fats?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  quantity?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  unit?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  grams?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  mealType?: Resolver<Maybe<ResolversTypes['MealType']>, ParentType, ContextType>;
  source?: Resolver<ResolversTypes['FoodLogSource'], ParentType, ContextType>;
  loggedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  localDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type FoodAnalysisResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodAnalysis'] = ResolversParentTypes['FoodAnalysis']> = {
  items?: Resolver<Array<ResolversTypes['AnalysisItem']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Nutrients'], ParentType, ContextType>;
  confidence?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  questions?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  unknown?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  provider?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AnalysisItemResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AnalysisItem'] = ResolversParentTypes['AnalysisItem']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  grams?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  calories?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  protein?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  carbs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  fats?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  confidence?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  known?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type FoodResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Food'] = ResolversParentTypes['Food']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  brand?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  barcode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  category?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ndb?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  per100g?: Resolver<ResolversTypes['FoodNutrients'], ParentType, ContextType>;
  measures?: Resolver<Array<ResolversTypes['FoodMeasure']>, ParentType, ContextType>;
  portion?: Resolver<Maybe<ResolversTypes['FoodPortion']>, ParentType, ContextType>;
  custom?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type FoodNutrientsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodNutrients'] = ResolversParentTypes['FoodNutrients']> = {
  calories?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  protein?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  carbs?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fats?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fibre?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  sugars?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  salt?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type FoodMeasureResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodMeasure'] = ResolversParentTypes['FoodMeasure']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  grams?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type FoodPortionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodPortion'] = ResolversParentTypes['FoodPortion']> = {
  amount?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  unit?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  grams?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type FoodConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodConnection'] = ResolversParentTypes['FoodConnection']> = {
  edges?: Resolver<Array<ResolversTypes['FoodEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Food']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type FoodEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodEdge'] = ResolversParentTypes['FoodEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Food'], ParentType, ContextType>;
};

export type FoodLogImportResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodLogImport'] = ResolversParentTypes['FoodLogImport']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['ImportStatus'], ParentType, ContextType>;
  lines?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  imported?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  duplicates?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  errors?: Resolver<Array<ResolversTypes['ImportError']>, ParentType, ContextType>;
  errorsOmitted?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  format?: Resolver<Maybe<ResolversTypes['CsvFormat']>, ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type CsvFormatResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CsvFormat'] = ResolversParentTypes['CsvFormat']> = {
  encoding?: Resolver<ResolversTypes['CsvEncoding'], ParentType, ContextType>;
  delimiter?: Resolver<ResolversTypes['CsvDelimiter'], ParentType, ContextType>;
  decimal?: Resolver<ResolversTypes['CsvDecimal'], ParentType, ContextType>;
  dateOrder?: Resolver<Maybe<ResolversTypes['CsvDateOrder']>, ParentType, ContextType>;
};

export type ImportErrorResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ImportError'] = ResolversParentTypes['ImportError']> = {
  line?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  column?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type LoggedMealResolvers<ContextType = Context, ParentType extends ResolversParentTypes['LoggedMeal'] = ResolversParentTypes['LoggedMeal']> = {
  entries?: Resolver<Array<ResolversTypes['FoodLog']>, ParentType, ContextType>;
  totals?: Resolver<ResolversTypes['Nutrients'], ParentType, ContextType>;
};

export type NutrientsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Nutrients'] = ResolversParentTypes['Nutrients']> = {
  calories?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  protein?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  carbs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  fats?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type NutritionDayResolvers<ContextType = Context, ParentType extends ResolversParentTypes['NutritionDay'] = ResolversParentTypes['NutritionDay']> = {
  date?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  totals?: Resolver<ResolversTypes['Nutrients'], ParentType, ContextType>;
  goal?: Resolver<Maybe<ResolversTypes['NutritionGoal']>, ParentType, ContextType>;
  remaining?: Resolver<Maybe<ResolversTypes['NutritionRemaining']>, ParentType, ContextType>;
  entries?: Resolver<Array<ResolversTypes['FoodLog']>, ParentType, ContextType>;
};

export type NutritionRemainingResolvers<ContextType = Context, ParentType extends ResolversParentTypes['NutritionRemaining'] = ResolversParentTypes['NutritionRemaining']> = {
  calories?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  protein?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  carbs?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fats?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type NutritionGoalResolvers<ContextType = Context, ParentType extends ResolversParentTypes['NutritionGoal'] = ResolversParentTypes['NutritionGoal']> = {
  calories?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  protein?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  carbs?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fats?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  weekday?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  date?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  from?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  until?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type NutritionPointResolvers<ContextType = Context, ParentType extends ResolversParentTypes['NutritionPoint'] = ResolversParentTypes['NutritionPoint']> = {
  start?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  end?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  totals?: Resolver<ResolversTypes['Nutrients'], ParentType, ContextType>;
  averages?: Resolver<ResolversTypes['Nutrients'], ParentType, ContextType>;
  goal?: Resolver<Maybe<ResolversTypes['NutritionRemaining']>, ParentType, ContextType>;
  loggedDays?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  entries?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type UserResolvers<ContextType = Context, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User'], FederationReferenceType extends FederationReferenceTypes['User'] = FederationReferenceTypes['User']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['User']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  foodLogs?: Resolver<Maybe<ResolversTypes['FoodLogConnection']>, ParentType, ContextType, Partial<UserFoodLogsArgs>>;
  nutritionDay?: Resolver<Maybe<ResolversTypes['NutritionDay']>, ParentType, ContextType, Partial<UserNutritionDayArgs>>;
  nutritionSeries?: Resolver<Maybe<Array<ResolversTypes['NutritionPoint']>>, ParentType, ContextType, RequireFields<UserNutritionSeriesArgs, 'bucket'>>;
  nutritionChart?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType, RequireFields<UserNutritionChartArgs, 'bucket' | 'metric'>>;
  foodLogCsv?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType, Partial<UserFoodLogCsvArgs>>;
  nutritionGoal?: Resolver<Maybe<ResolversTypes['NutritionGoal']>, ParentType, ContextType, Partial<UserNutritionGoalArgs>>;
};

export type FoodLogConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodLogConnection'] = ResolversParentTypes['FoodLogConnection']> = {
  edges?: Resolver<Array<ResolversTypes['FoodLogEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['FoodLog']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type FoodLogEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FoodLogEdge'] = ResolversParentTypes['FoodLogEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['FoodLog'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  Date?: GraphQLScalarType;
  Upload?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  FoodLog?: FoodLogResolvers<ContextType>;
  FoodAnalysis?: FoodAnalysisResolvers<ContextType>;
  AnalysisItem?: AnalysisItemResolvers<ContextType>;
  Food?: FoodResolvers<ContextType>;
  FoodNutrients?: FoodNutrientsResolvers<ContextType>;
  FoodMeasure?: FoodMeasureResolvers<ContextType>;
  FoodPortion?: FoodPortionResolvers<ContextType>;
  FoodConnection?: FoodConnectionResolvers<ContextType>;
  FoodEdge?: FoodEdgeResolvers<ContextType>;
  FoodLogImport?: FoodLogImportResolvers<ContextType>;
  CsvFormat?: CsvFormatResolvers<ContextType>;
  ImportError?: ImportErrorResolvers<ContextType>;
  LoggedMeal?: LoggedMealResolvers<ContextType>;
  Nutrients?: NutrientsResolvers<ContextType>;
  NutritionDay?: NutritionDayResolvers<ContextType>;
  NutritionRemaining?: NutritionRemainingResolvers<ContextType>;
  NutritionGoal?: NutritionGoalResolvers<ContextType>;
  NutritionPoint?: NutritionPointResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  FoodLogConnection?: FoodLogConnectionResolvers<ContextType>;
  FoodLogEdge?: FoodLogEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
};
