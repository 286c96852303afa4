/*
 * Three mock brokers of librdkafka in a process of their own. The first line printed is their
 * addresses. Each line read is a command, answered by "ok" or by an error text:
 *
 *   topic NAME            creates a topic with one partition and three replicas
 *   leader NAME BROKER    sets the leader of the topic; brokers are 1, 2 and 3
 *   rtt MS                delays all answers
 *   fail KEY CODE COUNT   answers COUNT requests of a kind with an error, and does nothing else
 *   late BROKER KEY MS    carries out the next request of a kind, and answers after MS
 *   down BROKER, up BROKER
 *
 * Kinds of requests and codes of errors are numbers, as in the protocol. Ends with its input.
 */
#include <stdio.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#define BROKERS 3
#define FAILURES_MAX 64

static rd_kafka_resp_err_t fail(rd_kafka_mock_cluster_t *brokers, int key, int code, int count) {
  rd_kafka_resp_err_t errors[FAILURES_MAX];
  if (count > FAILURES_MAX) return RD_KAFKA_RESP_ERR__INVALID_ARG;
  for (int at = 0; at < count; at++) errors[at] = code;
  rd_kafka_mock_push_request_errors_array(brokers, key, count, errors);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t carry_out(rd_kafka_mock_cluster_t *brokers, const char *line) {
  char topic[250];
  int broker, key, code, count, ms;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  if (sscanf(line, "topic %249s", topic) == 1)
    return rd_kafka_mock_topic_create(brokers, topic, 1, BROKERS);
  if (sscanf(line, "leader %249s %d", topic, &broker) == 2)
    return rd_kafka_mock_partition_set_leader(brokers, topic, 0, broker);
  if (sscanf(line, "fail %d %d %d", &key, &code, &count) == 3)
    return fail(brokers, key, code, count);
  if (sscanf(line, "late %d %d %d", &broker, &key, &ms) == 3)
    return rd_kafka_mock_broker_push_request_error_rtts(brokers, broker, key, 1,
                                                        RD_KAFKA_RESP_ERR_NO_ERROR, ms);
  if (sscanf(line, "down %d", &broker) == 1) return rd_kafka_mock_broker_set_down(brokers, broker);
  if (sscanf(line, "up %d", &broker) == 1) return rd_kafka_mock_broker_set_up(brokers, broker);
  if (sscanf(line, "rtt %d", &ms) != 1) return RD_KAFKA_RESP_ERR__INVALID_ARG;
  for (broker = 1; broker <= BROKERS && !error; broker++)
    error = rd_kafka_mock_broker_set_rtt(brokers, broker, ms);
  return error;
}

int main(void) {
  char text[512];
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "log_level", "0", text, sizeof text);
  rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
  rd_kafka_mock_cluster_t *brokers = client ? rd_kafka_mock_cluster_new(client, BROKERS) : NULL;
  if (!brokers) return 1;
  printf("%s\n", rd_kafka_mock_cluster_bootstraps(brokers));
  fflush(stdout);
  while (fgets(text, sizeof text, stdin)) {
    rd_kafka_resp_err_t error = carry_out(brokers, text);
    printf("%s\n", error ? rd_kafka_err2str(error) : "ok");
    fflush(stdout);
  }
  rd_kafka_mock_cluster_destroy(brokers);
  rd_kafka_destroy(client);
  return 0;
}
