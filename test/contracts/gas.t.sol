// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Batcher} from "../../contracts/Batcher.sol";
import {Registry} from "../../contracts/Registry.sol";
import {Deal, DealKey, DiamondBatch} from "../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../contracts/interfaces/IBatcher.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {LibFacet} from "../../contracts/libraries/LibFacet.sol";
import {ExtraFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice Gas of whole transactions, as a receipt shows it, against the committed `contracts/gas.json`.
/// @dev `CARAT_GAS=write forge test --match-contract GasTest --threads 1` writes the file anew.
/// forge-config: default.isolate = true
contract GasTest is CaratTest {
    string internal constant FILE = "contracts/gas.json";
    string internal constant OTHER_DIAMOND = "test/contracts/fixtures/hardhat-deploy-diamond.json";
    uint256 internal constant TOLERANCE = 0.02e18;

    /// @dev What an operation may cost at most, whatever the committed figures say; of a batch for each of its deals.
    uint256 internal constant MAX_CREATE = 27_000;
    uint256 internal constant MAX_CREATE_MANY_DIAMONDS = 41_000;
    uint256 internal constant MAX_CANCEL = 9_000;
    uint256 internal constant MAX_PAY_TOKEN = 69_000;
    uint256 internal constant MAX_PAY_TOKEN_EMPTY = 86_000;
    uint256 internal constant MAX_PAY_NATIVE = 59_000;
    uint256 internal constant MAX_PAY_NATIVE_EMPTY = 85_000;
    uint256 internal constant MAX_PAY_WITH_PERMIT = 120_000;
    uint256 internal constant MAX_PAY_OFFERED_TOKEN = 92_500;
    uint256 internal constant MAX_PAY_OFFERED_NATIVE = 81_000;
    uint256 internal constant MAX_PAY_OFFERED_WITH_PERMIT = 145_000;
    uint256 internal constant MAX_DIAMOND = 670_000;

    /// @dev Call data cost more where bytes are not zero, so the dearest of so many signatures counts.
    uint256 internal constant SIGNATURES = 1_000;

    address[] internal diamonds;
    uint256 internal nextId = 1_000_000;

    function setUp() public override {
        super.setUp();
        for (uint128 i; i < 50; ++i) {
            diamonds.push(registry.createDiamond(NODE, bytes16(uint128(100) + i)));
        }
        token.mint(payee, 1);
        vm.deal(payee, 1);
    }

    /// @dev Sends one transaction and compares what it used.
    function measure(string memory name, address from, address to, uint256 value, bytes memory data)
        internal
        returns (uint256 used)
    {
        vm.prank(from);
        (bool ok,) = to.call{value: value}(data);
        assertTrue(ok);
        used = vm.lastCallGas().gasTotalUsed;
        string memory key = string.concat(".", name);
        if (keccak256(bytes(vm.envOr("CARAT_GAS", string("")))) == keccak256("write")) {
            vm.writeJson(vm.toString(used), FILE, key);
        } else {
            assertApproxEqRel(used, vm.parseJsonUint(vm.readFile(FILE), key), TOLERANCE, name);
        }
    }

    function fresh(uint256 count) internal returns (DealKey[] memory keys) {
        keys = someKeys(nextId, count);
        nextId += count;
    }

    function test_gas_create_and_cancel() public {
        uint256[4] memory counts = [uint256(1), 10, 50, 100];
        for (uint256 i; i < counts.length; ++i) {
            string memory suffix = string.concat("_", vm.toString(counts[i]));
            DealKey[] memory keys = fresh(counts[i]);
            uint256 created = measure(
                string.concat("createDeals", suffix),
                operator,
                diamond,
                0,
                abi.encodeCall(IDealFacet.createDeals, (keys))
            );
            uint256 cancelled = measure(
                string.concat("cancelDeals", suffix),
                operator,
                diamond,
                0,
                abi.encodeCall(IDealFacet.cancelDeals, (idsOf(keys)))
            );
            if (counts[i] >= 50) {
                assertLe(created, MAX_CREATE * counts[i]);
                assertLe(cancelled, MAX_CANCEL * counts[i]);
            }
            DiamondBatch[] memory batches = one(diamond, fresh(counts[i]));
            measure(
                string.concat("batcherCreateDeals", suffix),
                operator,
                address(batcher),
                0,
                abi.encodeCall(IBatcher.createDeals, (batches))
            );
            measure(
                string.concat("batcherCancelDeals", suffix),
                operator,
                address(batcher),
                0,
                abi.encodeCall(IBatcher.cancelDeals, (oneCancel(diamond, idsOf(batches[0].deals))))
            );
        }
    }

    function test_gas_batch_of_many_diamonds() public {
        uint256[3] memory counts = [uint256(1), 10, 30];
        for (uint256 i; i < counts.length; ++i) {
            createOn(string.concat("batcherTenDiamonds_", vm.toString(counts[i])), 10, counts[i]);
        }
        assertLe(createOn("batcherFiftyDiamonds_1", 50, 1), MAX_CREATE_MANY_DIAMONDS * 50);
    }

    /// @dev The same number of new deals on each of the first diamonds, in one transaction of the batcher.
    function createOn(string memory name, uint256 count, uint256 each) internal returns (uint256) {
        DiamondBatch[] memory batches = new DiamondBatch[](count);
        for (uint256 i; i < count; ++i) {
            batches[i] = DiamondBatch(diamonds[i], gasFor(each), fresh(each));
        }
        return measure(name, operator, address(batcher), 0, abi.encodeCall(IBatcher.createDeals, (batches)));
    }

    function test_gas_pay() public {
        assertLe(payToken("payToken", payee), MAX_PAY_TOKEN);
        assertLe(payToken("payToken_empty", makeAddr("empty")), MAX_PAY_TOKEN_EMPTY);
        assertLe(payNative("payNative", payee), MAX_PAY_NATIVE);
        assertLe(payNative("payNative_empty", makeAddr("empty")), MAX_PAY_NATIVE_EMPTY);
    }

    /// @dev Each is the buyer's first permit of this token, and the diamond's first allowance.
    function test_gas_pay_with_permit() public {
        assertLe(payTokenWithPermit("payTokenWithPermit", payee), MAX_PAY_WITH_PERMIT);
    }

    function test_gas_pay_with_permit_to_empty() public {
        assertLe(payTokenWithPermit("payTokenWithPermit_empty", makeAddr("empty")), MAX_PAY_WITH_PERMIT);
    }

    function test_gas_pay_offered_token() public {
        assertLe(payOfferedToken("payOfferedToken", payee), MAX_PAY_OFFERED_TOKEN);
        assertLe(payOfferedToken("payOfferedToken_empty", makeAddr("empty")), MAX_PAY_OFFERED_TOKEN + 17_100);
    }

    function test_gas_pay_offered_native() public {
        assertLe(payOfferedNative("payOfferedNative", payee), MAX_PAY_OFFERED_NATIVE);
        assertLe(payOfferedNative("payOfferedNative_empty", makeAddr("empty")), MAX_PAY_OFFERED_NATIVE + 25_000);
    }

    function test_gas_pay_offered_token_with_permit() public {
        vm.prank(buyer);
        token.approve(diamond, 0);
        Deal memory deal = tokenDeal();
        Offer memory offer = dearest(deal);
        Permit memory permit = permitOf(offer.deal.amount);
        bytes memory data = abi.encodeCall(
            IOfferFacet.payOfferedTokenWithPermit,
            (offer.deal, offer.validUntil, offer.r, offer.vs, permit.deadline, permit.v, permit.r, permit.s)
        );
        assertLe(measure("payOfferedTokenWithPermit", buyer, diamond, 0, data), MAX_PAY_OFFERED_WITH_PERMIT);
    }

    function payOfferedToken(string memory name, address to) internal returns (uint256) {
        Deal memory deal = tokenDeal();
        deal.payee = to;
        Offer memory offer = dearest(deal);
        bytes memory data =
            abi.encodeCall(IOfferFacet.payOfferedToken, (offer.deal, offer.validUntil, offer.r, offer.vs));
        return measure(name, buyer, diamond, 0, data);
    }

    function payOfferedNative(string memory name, address to) internal returns (uint256) {
        Deal memory deal = nativeDeal();
        deal.payee = to;
        Offer memory offer = dearest(deal);
        bytes memory data =
            abi.encodeCall(IOfferFacet.payOfferedNative, (offer.deal, offer.validUntil, offer.r, offer.vs));
        return measure(name, buyer, diamond, deal.amount, data);
    }

    /// @dev Of offers of many deals like this one, the one whose signature has the fewest bytes of zero.
    function dearest(Deal memory like) internal returns (Offer memory worst) {
        uint256 fewest = type(uint256).max;
        for (uint256 i; i < SIGNATURES; ++i) {
            Deal memory deal = abi.decode(abi.encode(like), (Deal));
            deal.dealId = ID + nextId++;
            Offer memory offer = offerOf(deal);
            uint256 zeros = zerosOf(abi.encode(deal.dealId, offer.r, offer.vs));
            if (zeros < fewest) (fewest, worst) = (zeros, offer);
        }
    }

    function zerosOf(bytes memory data) internal pure returns (uint256 count) {
        for (uint256 i; i < data.length; ++i) {
            if (data[i] == 0) ++count;
        }
    }

    function payToken(string memory name, address to) internal returns (uint256) {
        Deal memory deal = next(tokenDeal(), to);
        return measure(name, buyer, diamond, 0, abi.encodeCall(IDealFacet.payToken, (deal)));
    }

    function payNative(string memory name, address to) internal returns (uint256) {
        Deal memory deal = next(nativeDeal(), to);
        return measure(name, buyer, diamond, deal.amount, abi.encodeCall(IDealFacet.payNative, (deal)));
    }

    function payTokenWithPermit(string memory name, address to) internal returns (uint256) {
        vm.prank(buyer);
        token.approve(diamond, 0);
        return measure(name, buyer, diamond, 0, permitCall(next(tokenDeal(), to)));
    }

    /// @dev Opens a deal like this one for a payee.
    function next(Deal memory like, address to) internal returns (Deal memory) {
        like.dealId = nextId++;
        like.payee = to;
        open(like);
        return like;
    }

    /// @dev What a buyer who knows the payee would spend without any gateway.
    function test_gas_plain_transfer() public {
        uint256 amount = tokenDeal().amount;
        measure("transfer", buyer, address(token), 0, abi.encodeCall(token.transfer, (payee, amount)));
        address empty = makeAddr("empty");
        measure("transfer_empty", buyer, address(token), 0, abi.encodeCall(token.transfer, (empty, amount)));
        measure("transferNative", buyer, payee, 1 ether, "");
    }

    /// @dev A diamond of the reference implementation as hardhat-deploy makes it: with an owner, code for cuts of its own,
    ///      shared facets, and as many selectors as ours.
    function test_gas_other_diamond() public {
        bytes memory creationCode = vm.parseJsonBytes(vm.readFile(OTHER_DIAMOND), ".bytecode");
        IDiamondLoupe.Facet[] memory facets = loupe.facets();
        IDiamondCut.FacetCut[] memory cuts = new IDiamondCut.FacetCut[](facets.length);
        for (uint256 i; i < facets.length; ++i) {
            cuts[i] = IDiamondCut.FacetCut(
                facets[i].facetAddress, IDiamondCut.FacetCutAction.Add, facets[i].functionSelectors
            );
        }
        bytes memory arguments = abi.encode(root, cuts, new bytes[](0));
        bytes memory call = bytes.concat(SALT, creationCode, arguments);
        measure("otherDiamond", stranger, LibFacet.DEPLOYER, 0, call);
    }

    function test_gas_diamonds() public {
        uint256 created = measure(
            "createDiamond",
            stranger,
            address(registry),
            0,
            abi.encodeCall(IRegistry.createDiamond, (NODE, bytes16(uint128(0x99))))
        );
        assertLe(created, MAX_DIAMOND);
        ExtraFacet extra = ExtraFacet(shared(address(new ExtraFacet())));
        approve(address(extra));
        IDiamondCut.FacetCut[] memory cuts =
            cutOf(address(extra), IDiamondCut.FacetCutAction.Add, extra.exportSelectors());
        bytes32 seen = keccak256(abi.encode(loupe.facets()));
        measure(
            "diamondCutChecked_add_2",
            upgrader,
            diamond,
            0,
            abi.encodeCall(IDiamondCut.diamondCutChecked, (cuts, address(0), "", seen))
        );
    }

    /// @dev What a network costs once, for all diamonds. Another salt, because the facets are there already.
    function test_gas_network() public {
        bytes memory arguments = abi.encode(root, APPROVAL_DELAY, bytes32("gas"));
        deploy("deploy_Registry", bytes.concat(type(Registry).creationCode, arguments));
        deploy("deploy_Batcher", bytes.concat(type(Batcher).creationCode, abi.encode(registry)));
        deploy("deploy_DiamondCutFacet", LibFacet.creationCode(cutFacet.code));
        deploy("deploy_DiamondLoupeFacet", LibFacet.creationCode(loupeFacet.code));
        deploy("deploy_DealFacet", LibFacet.creationCode(dealFacet.code));
        deploy("deploy_OfferFacet", LibFacet.creationCode(offerFacet.code));
    }

    function deploy(string memory name, bytes memory creationCode) internal {
        measure(name, stranger, LibFacet.DEPLOYER, 0, bytes.concat(bytes32("gas"), creationCode));
    }

    function permitCall(Deal memory deal) internal view returns (bytes memory) {
        Permit memory permit = permitOf(deal.amount);
        return abi.encodeCall(IDealFacet.payTokenWithPermit, (deal, permit.deadline, permit.v, permit.r, permit.s));
    }
}
