// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Batcher} from "../../../contracts/Batcher.sol";
import {Registry} from "../../../contracts/Registry.sol";
import {DealFacet} from "../../../contracts/facets/DealFacet.sol";
import {DiamondCutFacet} from "../../../contracts/facets/DiamondCutFacet.sol";
import {DiamondLoupeFacet} from "../../../contracts/facets/DiamondLoupeFacet.sol";
import {Deal} from "../../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {IERC165} from "../../../contracts/interfaces/IERC165.sol";
import {LibDeals} from "../../../contracts/libraries/LibDeals.sol";
import {TestToken} from "../../../contracts/mocks/TestToken.sol";
import {Cheats, SymbolicCheats} from "./Cheats.sol";

/// @notice Every function of a diamond of the release.
interface WholeDiamond is IDealFacet, IDiamondCut, IDiamondLoupe, IERC165 {}

/// @notice A network as it is in use: real registry with roles and release, the real diamond that it makes.
abstract contract ProofBase {
    Cheats internal constant vm = Cheats(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    SymbolicCheats internal constant svm = SymbolicCheats(0xF3993A62377BCd56AE39D773740A5390411E8BC9);

    uint256 internal constant APPROVAL_DELAY = 2 days;
    uint256 internal constant NOW = 1_800_000_000;
    bytes16 internal constant NODE = bytes16(uint128(0x11));
    bytes16 internal constant WALLET = bytes16(uint128(0x22));

    address internal constant ROOT = address(0x1001);
    address internal constant OPERATOR = address(0x1002);
    address internal constant UPGRADER = address(0x1003);
    address internal constant GUARDIAN = address(0x1004);

    Registry internal registry;
    address internal cutFacet;
    address internal loupeFacet;
    address internal dealFacet;
    address internal diamond;

    function setUp() public virtual {
        vm.warp(NOW);
        registry = new Registry(ROOT, APPROVAL_DELAY, bytes32("carat"));
        cutFacet = address(new DiamondCutFacet());
        loupeFacet = address(new DiamondLoupeFacet());
        dealFacet = address(new DealFacet());
        bytes32[] memory hashes = new bytes32[](3);
        (hashes[0], hashes[1], hashes[2]) = (cutFacet.codehash, loupeFacet.codehash, dealFacet.codehash);
        address[] memory facets = new address[](3);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, dealFacet);
        vm.startPrank(ROOT);
        registry.approveFacets(hashes);
        registry.setRelease("1.0.0", facets);
        registry.setOperator(OPERATOR, true);
        registry.setUpgrader(UPGRADER, true);
        registry.setGuardian(GUARDIAN, true);
        vm.stopPrank();
        diamond = registry.createDiamond(NODE, WALLET);
    }

    function isOperator(address account) internal view returns (bool) {
        return registry.isOperator(account);
    }

    function wordOf(uint256 dealId) internal view returns (bytes32) {
        return vm.load(diamond, slotOf(dealId));
    }

    function setWord(uint256 dealId, bytes32 word) internal {
        vm.store(diamond, slotOf(dealId), word);
    }

    function slotOf(uint256 dealId) internal pure returns (bytes32) {
        return keccak256(abi.encode(dealId, LibDeals.SLOT));
    }

    function statusOf(bytes32 word) internal pure returns (uint256) {
        return uint256(word) & 0xff;
    }

    /// @dev Any call of any function by anybody, with any coins.
    function callAnything(address caller, uint256 value) internal returns (bool ok, bytes4 selector) {
        bytes memory data = svm.createCalldata("WholeDiamond", true);
        selector = bytes4(data);
        vm.prank(caller);
        (ok,) = diamond.call{value: value}(data);
    }
}
