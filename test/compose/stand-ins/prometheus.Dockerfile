FROM node:24.21.0-bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends wget
COPY prometheus /bin/
RUN install --directory --owner nobody --group nogroup /prometheus
USER nobody
ENTRYPOINT ["/bin/prometheus"]
