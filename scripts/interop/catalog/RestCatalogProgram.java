// Apache Iceberg's own REST catalog, as its tests have it, over S3, on two loopback ports of one process: one that vends
// credentials alone, and one that says with them where the store is. Prints one line of JSON when both are ready.
// In the library's package, since what it extends is not public.
package org.apache.iceberg.rest;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

public final class RestCatalogProgram {
  private RestCatalogProgram() {}

  /** Environment: S3_ENDPOINT, S3_WAREHOUSE, S3_KEY, S3_SECRET, and S3_TOKEN where there is one. */
  public static void main(String[] args) throws Exception {
    Map<String, String> address = new HashMap<>();
    address.put("s3.endpoint", System.getenv("S3_ENDPOINT"));
    address.put("s3.path-style-access", "true");
    address.put("s3.region", "us-east-1");
    address.put("client.region", "us-east-1");
    Map<String, String> properties = new HashMap<>(address);
    properties.put("warehouse", System.getenv("S3_WAREHOUSE"));
    properties.put("io-impl", "org.apache.iceberg.aws.s3.S3FileIO");
    properties.put("s3.access-key-id", System.getenv("S3_KEY"));
    properties.put("s3.secret-access-key", System.getenv("S3_SECRET"));
    if (System.getenv("S3_TOKEN") != null) properties.put("s3.session-token", System.getenv("S3_TOKEN"));
    properties.put("include-credentials", "true");
    properties.put("catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog");
    properties.put("uri", "jdbc:sqlite:file:interop?mode=memory&cache=shared");
    properties.put("jdbc.schema-version", "V1");
    Catalog catalog = CatalogUtil.buildIcebergCatalog("interop", properties, null);
    RESTCatalogServer.CatalogContext context = new RESTCatalogServer.CatalogContext(catalog, properties);
    int bare = start(new RESTServerCatalogAdapter(context));
    int addressed = start(new AddressingAdapter(context, address));
    System.out.println("{\"bare\":\"http://127.0.0.1:" + bare + "/\",\"addressed\":\"http://127.0.0.1:" + addressed + "/\"}");
    Thread.currentThread().join();
  }

  private static int start(RESTCatalogAdapter adapter) throws Exception {
    Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
    ServletContextHandler handler = new ServletContextHandler();
    handler.addServlet(new ServletHolder(new RESTCatalogServlet(adapter)), "/*");
    server.setHandler(handler);
    server.start();
    return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
  }

  private static final class AddressingAdapter extends RESTServerCatalogAdapter {
    private final Map<String, String> address;

    AddressingAdapter(RESTCatalogServer.CatalogContext context, Map<String, String> address) {
      super(context);
      this.address = address;
    }

    @Override
    public <T extends RESTResponse> T handleRequest(
        Route route,
        Map<String, String> vars,
        HTTPRequest request,
        Class<T> responseType,
        Consumer<Map<String, String>> responseHeaders) {
      T response = super.handleRequest(route, vars, request, responseType, responseHeaders);
      if (response instanceof LoadTableResponse table) table.config().putAll(address);
      return response;
    }
  }
}
