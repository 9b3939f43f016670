// Example operations; each runs without a change, after a log-in.

export const EXAMPLES = [
  {
    title: 'Query: everything about me, from five services',
    query: `# Everything about you, from five services.
# Log in first (above, right).
query Home {
  me {
    displayName
    role
    gym {
      name
      config { features }
      locations {
        name
        capacity
        occupancy { people level }
      }
    }
    nutritionDay { totals { calories } }
    presence { online }
    nextWorkout { title durationMinutes }
    trainingSummary(days: 7) { count minutes streakWeeks }
  }
  workouts(first: 3) { nodes { title difficulty } }
}
`,
  },
  {
    title: 'Subscription: who is online',
    query: `# The users of your gym who are online, now and
# after every change, until you stop it. To see
# a change, log in as another user in a second
# window, and run "Mutation: go online" there.
subscription WhoIsOnline {
  onlineUsersUpdated {
    seq
    users {
      status
      activity
      user { displayName gym { name } }
    }
  }
}
`,
  },
  {
    title: 'Mutation: go online',
    query: `# The other users of your gym see it at once.
mutation GoOnline {
  goOnline { online status }
}
`,
  },
  {
    title: 'Mutation: write to the feed',
    query: `mutation Post($input: CreatePostInput!) {
  createPost(input: $input) {
    id
    text
    createdAt
    author { displayName }
  }
}
`,
    variables: '{\n  "input": { "text": "Hello from the explorer" }\n}\n',
  },
  {
    title: 'Upload: a new picture of mine',
    query: `# Choose the file above: JPEG, PNG, WebP
# or AVIF, at most 10 MiB.
mutation MyPicture($file: Upload!) {
  uploadAvatar(file: $file) {
    displayName
    avatar
  }
}
`,
  },
];
