// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey, DiamondBatch} from "../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../contracts/interfaces/IBatcher.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {ExtraFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice Gas of whole transactions, as a receipt shows it, against the committed `contracts/gas.json`.
/// @dev `CARAT_GAS=write forge test --match-contract GasTest --threads 1` writes the file anew.
/// forge-config: default.isolate = true
contract GasTest is CaratTest {
    string internal constant FILE = "contracts/gas.json";
    uint256 internal constant TOLERANCE = 0.02e18;

    address[] internal diamonds;
    uint256 internal nextId = 1_000_000;

    function setUp() public override {
        super.setUp();
        for (uint128 i; i < 10; ++i) {
            diamonds.push(registry.createDiamond(NODE, bytes16(uint128(100) + i)));
        }
        token.mint(payee, 1);
        vm.deal(payee, 1);
    }

    /// @dev Sends one transaction and compares what it used.
    function measure(string memory name, address from, address to, uint256 value, bytes memory data) internal {
        vm.prank(from);
        (bool ok,) = to.call{value: value}(data);
        assertTrue(ok);
        uint256 used = vm.lastCallGas().gasTotalUsed;
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
        uint256[3] memory counts = [uint256(1), 10, 100];
        for (uint256 i; i < counts.length; ++i) {
            string memory suffix = string.concat("_", vm.toString(counts[i]));
            DealKey[] memory keys = fresh(counts[i]);
            measure(
                string.concat("createDeals", suffix),
                operator,
                diamond,
                0,
                abi.encodeCall(IDealFacet.createDeals, (keys))
            );
            measure(
                string.concat("cancelDeals", suffix),
                operator,
                diamond,
                0,
                abi.encodeCall(IDealFacet.cancelDeals, (idsOf(keys)))
            );
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
            DiamondBatch[] memory batches = new DiamondBatch[](10);
            for (uint256 j; j < 10; ++j) {
                batches[j] = DiamondBatch(diamonds[j], fresh(counts[i]));
            }
            measure(
                string.concat("batcherTenDiamonds_", vm.toString(counts[i])),
                operator,
                address(batcher),
                0,
                abi.encodeCall(IBatcher.createDeals, (batches))
            );
        }
    }

    function test_gas_pay() public {
        Deal memory deal = tokenDeal();
        open(deal);
        measure("payToken", buyer, diamond, 0, abi.encodeCall(IDealFacet.payToken, (deal)));
        deal = nativeDeal();
        deal.dealId = ID + 1;
        open(deal);
        measure("payNative", buyer, diamond, deal.amount, abi.encodeCall(IDealFacet.payNative, (deal)));
        deal = tokenDeal();
        deal.dealId = ID + 2;
        open(deal);
        measure("payTokenWithPermit", buyer, diamond, 0, permitCall(deal));
    }

    function test_gas_diamonds() public {
        measure(
            "createDiamond",
            stranger,
            address(registry),
            0,
            abi.encodeCall(IRegistry.createDiamond, (NODE, bytes16(uint128(0x99))))
        );
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

    function permitCall(Deal memory deal) internal view returns (bytes memory) {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                buyer,
                diamond,
                deal.amount,
                token.nonces(buyer),
                deal.expiresAt
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(buyerKey, digest);
        return abi.encodeCall(IDealFacet.payTokenWithPermit, (deal, deal.expiresAt, v, r, s));
    }
}
