FROM node:24.21.0-bookworm-slim
RUN useradd --uid 999 --home-dir /var/lib/postgresql postgres \
  && apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-client
COPY native /opt/postgres
COPY postgres-entrypoint.sh /usr/local/bin/
RUN chmod -R a+rX /opt/postgres && chmod a+x /opt/postgres/bin/* /usr/local/bin/postgres-entrypoint.sh \
  && install --directory --owner postgres --group postgres --mode 1777 /var/lib/postgresql \
  && install --directory --owner postgres --group postgres --mode 3777 /var/run/postgresql
ENV PATH=/opt/postgres/bin:$PATH
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres-entrypoint.sh"]
