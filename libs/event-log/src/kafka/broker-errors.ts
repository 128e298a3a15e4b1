/** The error codes of Kafka's protocol that decide what a reader or a member of a group does next. */
export const brokerError = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopicOrPartition: 3,
  illegalGeneration: 22,
  inconsistentGroupProtocol: 23,
  unknownMember: 25,
  invalidSessionTimeout: 26,
  rebalanceInProgress: 27,
  topicAuthorizationFailed: 29,
  groupAuthorizationFailed: 30,
  clusterAuthorizationFailed: 31,
  memberIdRequired: 79,
  groupMaxSizeReached: 81,
} as const;
