/** The error codes of Kafka's protocol that decide what a reader does next. */
export const brokerError = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopicOrPartition: 3,
  topicAuthorizationFailed: 29,
  clusterAuthorizationFailed: 31,
} as const;
