/** One lap of an activity. */
export interface PlannedLap {
  /** Whole seconds from the beginning of the activity to that of the lap. */
  after: number;
  /** The duration. */
  millis: number;
  centimeters: number;
}
export interface PlannedActivity {
  /** Seconds since 1970. */
  start: number;
  sport: 'running' | 'cycling' | 'generic';
  laps: PlannedLap[];
}

const TCX_SPORTS = { running: 'Running', cycling: 'Biking', generic: 'Other' } as const;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** A TCX file as watches write it: with tracks, heart rates and extensions. */
export const tcxOf = (activities: readonly PlannedActivity[], points = 2): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
  <Activities>
${activities
  .map(
    ({ start, sport, laps }) => `    <Activity Sport="${TCX_SPORTS[sport]}">
      <Id>${iso(start)}</Id>
${laps.map((lap) => tcxLap(start, lap, points)).join('\n')}
      <Notes>With &lt;hills&gt; &amp; wind</Notes>
      <Creator xsi:type="Device_t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Name>Watch</Name></Creator>
    </Activity>`,
  )
  .join('\n')}
  </Activities>
</TrainingCenterDatabase>
`;

const tcxLap = (start: number, { after, millis, centimeters }: PlannedLap, points: number): string =>
  `      <Lap StartTime="${iso(start + after)}">
        <TotalTimeSeconds>${millis / 1_000}</TotalTimeSeconds>
        <DistanceMeters>${centimeters / 100}</DistanceMeters>
        <Calories>50</Calories><AverageHeartRateBpm><Value>140</Value></AverageHeartRateBpm>
        <Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>
        <Track>${Array.from(
          { length: points },
          (_unused, index) =>
            `<Trackpoint><Time>${iso(start + after + index)}</Time><DistanceMeters>${index * 3}.5</DistanceMeters></Trackpoint>`,
        ).join('')}</Track>
        <Extensions><ns3:LX><ns3:AvgSpeed>3.1</ns3:AvgSpeed></ns3:LX></Extensions>
      </Lap>`;

/** A field of a message: its number, its base type, and its value; texts and lists are given as bytes. */
export type FitField = readonly [number: number, baseType: number, value: number | Buffer];
export interface FitMessage {
  number: number;
  fields: FitField[];
  /** The bytes of one developer field. */
  developer?: Buffer;
}

const FIT_EPOCH = 631_065_600; // seconds since 1970
const SIZES: Readonly<Record<number, number>> = { 0x00: 1, 0x02: 1, 0x84: 2, 0x86: 4 };

/**
 * Writes messages as a FIT file by the published protocol, independently of the library that reads them.
 * @param more bytes of further messages
 */
export function fitFile(
  messages: readonly FitMessage[],
  isBigEndian = false,
  more: Buffer = Buffer.alloc(0),
): Buffer {
  const body = Buffer.concat([...messages.flatMap((message) => fitMessage(message, isBigEndian)), more]);
  const header = Buffer.alloc(14);
  header.writeUInt8(14, 0);
  header.writeUInt8(0x20, 1); // protocol 2.0, which has developer fields
  header.writeUInt16LE(2_132, 2);
  header.writeUInt32LE(body.length, 4);
  header.write('.FIT', 8, 'latin1');
  header.writeUInt16LE(crcOf(header.subarray(0, 12)), 12);
  const file = Buffer.concat([header, body]);
  const crc = Buffer.alloc(2);
  crc.writeUInt16LE(crcOf(file));
  return Buffer.concat([file, crc]);
}

function fitMessage({ number, fields, developer }: FitMessage, isBigEndian: boolean): Buffer[] {
  const definition = Buffer.alloc(6 + fields.length * 3 + (developer ? 4 : 0));
  definition.writeUInt8(0x40 | (developer ? 0x20 : 0), 0);
  definition.writeUInt8(isBigEndian ? 1 : 0, 2);
  if (isBigEndian) definition.writeUInt16BE(number, 3);
  else definition.writeUInt16LE(number, 3);
  definition.writeUInt8(fields.length, 5);
  const values = fields.map(([id, baseType, value], index) => {
    const size = Buffer.isBuffer(value) ? value.length : (SIZES[baseType] ?? 1);
    definition.set([id, size, baseType], 6 + index * 3);
    if (Buffer.isBuffer(value)) return value;
    const bytes = Buffer.alloc(size);
    if (isBigEndian) bytes.writeUIntBE(value, 0, size);
    else bytes.writeUIntLE(value, 0, size);
    return bytes;
  });
  if (developer) definition.set([1, 0, developer.length, 0], 6 + fields.length * 3);
  return [definition, Buffer.from([0]), ...values, ...(developer ? [developer] : [])];
}

/** CRC-16 of the FIT protocol, bit by bit. */
function crcOf(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
}

const SPORTS = { running: 1, cycling: 2, generic: 0 } as const;
const time = (seconds: number) => seconds - FIT_EPOCH;

/** The messages of activities as a watch writes them: records, laps and sessions, with developer fields. */
export const fitMessages = (activities: readonly PlannedActivity[]): FitMessage[] => [
  { number: 0, fields: [[0, 0x00, 4]] }, // file_id: an activity
  ...activities.flatMap(({ start, sport, laps }): FitMessage[] => {
    const elapsed = Math.max(...laps.map(({ after, millis }) => after * 1_000 + millis));
    return [
      ...laps.flatMap(({ after, millis, centimeters }): FitMessage[] => [
        {
          number: 20,
          fields: [
            [253, 0x86, time(start + after)],
            [5, 0x86, 100],
          ],
          developer: Buffer.from([1, 2]),
        },
        {
          number: 19,
          fields: [
            [253, 0x86, time(start + after + Math.ceil(millis / 1_000))],
            [2, 0x86, time(start + after)],
            [7, 0x86, millis],
            [8, 0x86, millis],
            [9, 0x86, centimeters],
          ],
          developer: Buffer.from([3, 4]),
        },
      ]),
      {
        number: 18,
        fields: [
          [253, 0x86, time(start + Math.ceil(elapsed / 1_000))],
          [2, 0x86, time(start)],
          [5, 0x00, SPORTS[sport]],
          [7, 0x86, elapsed],
          [8, 0x86, elapsed],
        ],
      },
    ];
  }),
];
