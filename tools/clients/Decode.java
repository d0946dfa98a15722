import java.nio.file.Files;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.model.EventPage;
import org.openapitools.client.model.TablePage;

/** Reads a page of events and one of tables as the generated client does, and says what is in them. */
public class Decode {
    public static void main(String[] names) throws Exception {
        var mapper = ApiClient.createDefaultObjectMapper();
        var events = mapper.readValue(Files.readString(Path.of(names[0])), EventPage.class);
        System.out.println(events.getItems().get(0).getType());
        var tables = mapper.readValue(Files.readString(Path.of(names[1])), TablePage.class);
        System.out.println(tables.getItems().get(0).getStatus());
    }
}
